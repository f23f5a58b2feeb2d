// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The ledger, sorted for questions.
struct History: Sendable {
    private let facts: [Fact]
    private(set) var asked: [Int: Int64] = [:]
    /// When each token was spent.
    private(set) var spent: [Place: Int64] = [:]
    private(set) var delivered: [Int: Int64] = [:]
    private(set) var lost: [Int: Int64] = [:]
    private(set) var kills: [Int: Int64] = [:]
    /// The process that has last fetched each token before its first use, but for those of sign-ins.
    private(set) var fetchers: [Place: Int] = [:]
    /// The first use of each token at a resource server.
    private(set) var firstUse: [Place: Int64] = [:]
    /// When the server has issued the first token of a session, and when its sign-in ended.
    private(set) var issued: [Int: Int64] = [:]
    private(set) var signedIn: [Int: Int64] = [:]
    private(set) var lastSignedIn: Int?
    /// The last sign-out of each process.
    private(set) var signOuts: [Int: (began: Int64, ended: Int64)] = [:]
    /// When each process started.
    private(set) var starts: [Int: Int64] = [:]
    /// When the server ended a session.
    private(set) var ends: [Int: Int64] = [:]
    private(set) var hasSignOut = false
    /// When the store first had each token.
    private(set) var stored: [Place: Int64] = [:]
    private var powerLosses: [Int64] = []
    private var accessEnds: [Int: [Int64]] = [:]
    private var stops: [Int: [(from: Int64, until: Int64)]] = [:]
    private var troubles: [(Trouble, from: Int64, until: Int64)] = []

    init(_ facts: [Fact]) {
        self.facts = facts
        for fact in facts { add(fact) }
    }

    private mutating func add(_ fact: Fact) {
        let time = fact.time
        switch fact.event {
        case .asked(let call, _, _): asked[call] = time
        case .delivered(let call): delivered[call] = time
        case .answerLost(let call): lost[call] = time
        case .killed(let process): kills[process] = time
        case .used(_, _, let place, _, _): if firstUse[place] == nil { firstUse[place] = time }
        case .signedIn(_, let family): (signedIn[family], lastSignedIn) = (time, family)
        case .issued(let place, _): issued[place.family] = time
        case .started(let process): starts[process] = time
        case .signOutBegan(let process): (hasSignOut, signOuts[process]) = (true, (time, Int64.max))
        case .signedOut(let process): signOuts[process]?.ended = time
        case .revoked(let family, _): if ends[family] == nil { ends[family] = time }
        case .presented(_, let process, let place, .committed(let next), _):
            spent[place] = time
            fetchers[Place(family: place.family, serial: next)] = process
        case .presented(_, let process, let place, .replayed(let next), _):
            let next = Place(family: place.family, serial: next)
            // What was in use had been saved by the one before.
            if firstUse[next] == nil { fetchers[next] = process }
        case .presented(_, _, let place, .reused, _): if ends[place.family] == nil { ends[place.family] = time }
        case .stopped(let process, let until): stops[process, default: []].append((time, until))
        case .stored(let view): if let place = view.place, stored[place] == nil { stored[place] = time }
        case .powerLost: powerLosses.append(time)
        case .accessEnded(let process): accessEnds[process, default: []].append(time)
        case .trouble(let trouble, let until): troubles.append((trouble, time, until))
        case .calm: endTroubles(at: time)
        default: break
        }
    }

    /// What was to last longer ends. A call of the database that is slow then has its answer later.
    private mutating func endTroubles(at time: Int64) {
        for index in troubles.indices {
            let end = troubles[index].0 == .database ? time + 10_000_000_000 : time
            troubles[index].until = min(troubles[index].until, end)
        }
        for process in stops.keys {
            stops[process] = stops[process]?.map { (from: $0.from, until: min($0.until, time)) }
        }
    }

    /// A process that started after a token was spent, has used it before a time, and had no trouble until then.
    ///
    /// Its store had the intent of the lost call.
    func reader(of place: Place, before end: Int64) -> Int? {
        guard let spent = spent[place] else { return nil }
        for case .used(_, let process, place, _, true) in facts.lazy.filter({ $0.time < end }).map(\.event) {
            let from = starts[process] ?? 0
            let hasTrouble = troubles.contains { $0.until >= spent && $0.from <= end } || !lost.isEmpty
            if from > spent, kills[process] == nil, !wasStopped(process, from: from, to: end), !hasTrouble {
                return process
            }
        }
        return nil
    }

    func wasAsked(_ call: Int, before other: Int) -> Bool {
        guard let first = asked[call], let second = asked[other] else { return false }
        return first < second
    }

    /// The token that a presentation has brought.
    func next(after index: Int) -> Place? {
        guard case .presented(_, _, let place, let answer, _) = facts[index].event else { return nil }
        switch answer {
        case .committed(let next), .replayed(let next): return Place(family: place.family, serial: next)
        case .reused, .refused: return nil
        }
    }

    /// Whether a disturbance overlaps a time.
    func hasTrouble(_ trouble: Trouble, _ from: Int64, _ to: Int64) -> Bool {
        troubles.contains { $0.0 == trouble && $0.from <= to && $0.until >= from }
    }

    /// Whether the store had a token of a session before a time.
    func wasStored(_ family: Int, before time: Int64 = .max) -> Bool {
        stored.contains { $0.key.family == family && $0.value < time }
    }

    /// Whether the store has kept a token since a time: only a power failure takes it away again.
    func hasKept(_ place: Place, since time: Int64, until end: Int64) -> Bool {
        guard let storedAt = stored[place], storedAt <= time else { return false }
        return !powerLosses.contains { $0 >= storedAt && $0 <= end }
    }

    /// Whether a power failure before a time may have lost a token in use: others used it while the process that had
    /// fetched it was killed or stopped in its save, and the name of the file was not durable.
    func mayHaveLost(_ place: Place, before end: Int64) -> Bool {
        guard let usedAt = firstUse[place], let saver = fetchers[place],
            powerLosses.contains(where: { $0 > usedAt && $0 <= end })
        else { return false }
        return kills[saver].map { $0 <= usedAt } ?? false
            || wasStopped(saver, from: usedAt - 1_000_000, to: usedAt + 1)
    }

    /// Whether the system ended the exclusive access of a process within a time.
    func lostAccess(_ process: Int, from: Int64, to: Int64) -> Bool {
        (accessEnds[process] ?? []).contains { $0 >= from && $0 <= to }
    }

    func didAnyLoseAccess(from: Int64, to: Int64) -> Bool {
        accessEnds.keys.contains { lostAccess($0, from: from, to: to) }
    }

    /// Whether the system ended the exclusive access of a process while the disk was full, and it still is.
    func lostAccessWhileFull(_ process: Int, at time: Int64) -> Bool {
        troubles.contains {
            $0.0 == .full && $0.from <= time && $0.until >= time && lostAccess(process, from: $0.from, to: time)
        }
    }

    func wasStopped(_ process: Int, from: Int64, to: Int64) -> Bool { stopped(process, from: from, to: to) > 0 }

    func wasAnyStopped(from: Int64, to: Int64) -> Bool { stops.keys.contains { wasStopped($0, from: from, to: to) } }

    /// How long a process was stopped within a time.
    func stopped(_ process: Int, from: Int64, to: Int64) -> Int64 {
        (stops[process] ?? []).reduce(0) { $0 + max(0, min($1.until, to) - max($1.from, from)) }
    }
}
