// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The ledger, sorted for questions.
struct History: Sendable {
    private let facts: [Fact]
    private(set) var asked: [Int: Int64] = [:]
    private(set) var delivered: [Int: Int64] = [:]
    private(set) var lost: [Int: Int64] = [:]
    private(set) var kills: [Int: Int64] = [:]
    /// The first use of each token at a resource server.
    private(set) var firstUse: [Place: Int64] = [:]
    private(set) var lastSignedIn: Int?
    /// When the server ended a session.
    private(set) var ends: [Int: Int64] = [:]
    private(set) var hasSignOut = false
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
        case .signedIn(_, let family): lastSignedIn = family
        case .signOutBegan: hasSignOut = true
        case .revoked(let family, _): if ends[family] == nil { ends[family] = time }
        case .presented(_, _, let place, .reused, _): if ends[place.family] == nil { ends[place.family] = time }
        case .stopped(let process, let until): stops[process, default: []].append((time, until))
        case .trouble(let trouble, let until): troubles.append((trouble, time, until))
        default: break
        }
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

    func wasStopped(_ process: Int, from: Int64, to: Int64) -> Bool { stopped(process, from: from, to: to) > 0 }

    /// How long a process was stopped within a time.
    func stopped(_ process: Int, from: Int64, to: Int64) -> Int64 {
        (stops[process] ?? []).reduce(0) { $0 + max(0, min($1.until, to) - max($1.from, from)) }
    }
}
