// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Judges a run by its ledger alone.
///
///     let verdict = Verdict.of(ledger, setting)
///     if !verdict.violations.isEmpty { … }
public struct Verdict: Sendable {
    /// The refreshes that the server has committed.
    public private(set) var expiries = 0
    /// Second calls for one token that an answer lost on the way, or a fault of its process, explains.
    public private(set) var explainedCalls = 0
    /// Sessions that ended because the only copy of a token was lost.
    public private(set) var explainedLosses = 0
    public private(set) var requests = 0
    public internal(set) var violations: [Violation] = []

    let facts: [Fact]
    let setting: Setting
    var history: History

    public static func of(_ facts: [Fact], _ setting: Setting) -> Verdict {
        var verdict = Verdict(facts, setting)
        verdict.judgeCalls()
        verdict.judgeStore()
        verdict.judgeRequests()
        verdict.judgeSignOuts()
        verdict.judgeRevocations()
        verdict.judgeItem()
        verdict.judgeEnd()
        return verdict
    }

    private init(_ facts: [Fact], _ setting: Setting) {
        (self.facts, self.setting) = (facts, setting)
        history = History(facts)
    }

    mutating func complain(_ promise: Violation.Promise, _ detail: String, at time: Int64) {
        violations.append(Violation(promise, detail, at: time))
    }

    // MARK: - Calls

    /// No token is sent twice unless its answer was lost. No session is lost unless the only copy was.
    private mutating func judgeCalls() {
        /// The first presentation of each token whose answer may still be held by its process.
        var first: [Place: (index: Int, call: Int, process: Int)] = [:]
        for (index, fact) in facts.enumerated() {
            guard case .presented(let call, let process, let place, let answer, let isRepeated) = fact.event else {
                continue
            }
            if case .committed = answer { expiries += 1 }
            let earlier = first[place]
            if case .committed = answer { first[place] = (index, call, process) }
            if case .replayed = answer { first[place] = (index, call, process) }
            guard let earlier, !isRepeated else {
                if answer == .reused, isRepeated { explainedLosses += 1 }
                continue
            }
            // A request that was sent first may arrive later. Then it is the other one that was sent again.
            let isLate = history.wasAsked(call, before: earlier.call)
            let late = (index: index, call: call, process: process)
            guard
                isLate
                    ? isGone(late, when: earlier.call) || wasOverdue(earlier.call, of: earlier.process)
                    : explains(earlier, before: index, of: place) || wasOverdue(call, of: process)
            else {
                complain(
                    .duplicateCall, "process \(process) sent \(place) again, which process \(earlier.process) had sent",
                    at: fact.time)
                if answer == .reused {
                    complain(.sessionLost, "the server ended session \(place.family)", at: fact.time)
                }
                continue
            }
            explainedCalls += 1
            guard answer == .reused else { continue }
            // A request that its process has given up may arrive long after the next ones, and nobody can stop it.
            let isAbandoned = history.lost[call].map { $0 < fact.time } ?? false
            if isLate || isAbandoned || wasOverdue(call, of: process) {
                explainedLosses += 1
            } else {
                judgeLoss(of: place, earlier.index, at: fact.time)
            }
        }
    }

    /// A session was lost although its only copy was: a server with a grace period must have been asked too late.
    private mutating func judgeLoss(of place: Place, _ earlier: Int, at time: Int64) {
        let end = (history.spent[place] ?? facts[earlier].time) + setting.grace
        if setting.grace > 0, time < end, !isUnstored(after: earlier, at: time) {
            complain(.sessionLost, "session \(place.family) ended within the grace period", at: time)
        } else if setting.grace > 0, let process = history.reader(of: place, before: end - setting.retryTime) {
            complain(
                .sessionLost, "process \(process) used \(place), and did not refresh it within the grace period",
                at: time)
        } else {
            explainedLosses += 1
        }
    }

    /// Whether a process has lost its access just before it sent its request.
    ///
    /// - Files: the system has ended the access, and the next refresh goes on with it. A token that a full disk keeps
    ///   unsaved keeps the access, too.
    /// - Lease: the process was stopped after it had found its lease long enough. The request is given up at once then,
    ///   because its deadline is over.
    private func wasOverdue(_ call: Int, of process: Int) -> Bool {
        guard let asked = history.asked[call] else { return false }
        if setting.store == .files {
            return history.lostAccess(process, from: asked - Self.accessMemory, to: asked)
                || history.lostAccessWhileFull(process, at: asked)
        }
        // If it is stopped again before it can give up, the answer may be there first.
        guard let end = history.lost[call] ?? history.delivered[call] else { return false }
        let duration = end - asked - history.stopped(process, from: asked, to: end)
        return duration < 10_000_000 && history.wasStopped(process, from: asked - setting.lease, to: asked)
    }

    /// How long a process may go on with access that the system has ended.
    private static let accessMemory: Int64 = 10_000_000_000

    /// Whether the successor of a token was spent as well, and could not be stored before.
    private func isUnstored(after earlier: Int, at time: Int64) -> Bool {
        guard let next = history.next(after: earlier), history.spent[next] != nil else { return false }
        let from = facts[earlier].time
        return history.hasTrouble(.full, from, time) || history.hasTrouble(.database, from, time)
    }

    /// Whether nobody waited for the answer to a call any more when another process sent the same token.
    private func isGone(_ call: (index: Int, call: Int, process: Int), when other: Int) -> Bool {
        guard let began = history.asked[call.call], let end = history.asked[other] else { return false }
        return history.lost[call.call].map { $0 <= end } ?? false
            || history.kills[call.process].map { $0 <= end } ?? false
            || history.lostAccess(call.process, from: began - Self.accessMemory, to: end)
            || setting.store == .leased && history.wasStopped(call.process, from: began, to: end)
    }

    /// Whether no living process can have kept the answer to an earlier call.
    private func explains(_ earlier: (index: Int, call: Int, process: Int), before index: Int, of place: Place) -> Bool
    {
        // The answer to a request that the network has doubled goes nowhere.
        if case .presented(_, _, _, _, isRepeated: true) = facts[earlier.index].event { return true }
        let began = history.asked[earlier.call] ?? facts[earlier.index].time
        let (from, now) = (facts[earlier.index].time, facts[index].time)
        guard history.delivered[earlier.call].map({ $0 <= now }) ?? false else {
            // The answer is on its way to a process that waits for it, unless that is dead or has given up.
            return history.lost[earlier.call].map { $0 <= now } ?? false
                || history.kills[earlier.process].map { $0 <= now } ?? false
                || history.lostAccess(earlier.process, from: began - Self.accessMemory, to: now)
                || setting.store == .leased && history.wasStopped(earlier.process, from: began, to: now)
        }
        let next = history.next(after: earlier.index)
        // A successor that a request has used was stored, unless the store refused it.
        let usedAt = next.flatMap { history.firstUse[$0] } ?? Int64.max
        let couldNotStore =
            history.hasTrouble(.full, from, now) || history.hasTrouble(.database, from - setting.lease, now)
        if let kill = history.kills[earlier.process], kill <= now {
            let isKept = usedAt <= kill || next.map { history.hasKept($0, since: kill, until: now) } ?? false
            if !isKept || couldNotStore { return true }
        }
        if let next, history.mayHaveLost(next, before: now) { return true }
        // The next process may have read the store before the token was saved without access.
        if setting.store == .files {
            return history.lostAccess(earlier.process, from: began - Self.accessMemory, to: now)
        }
        // Without an answer of the database, or while it is stopped, a host loses its lease and keeps the only copy.
        return couldNotStore || history.wasStopped(earlier.process, from: began - setting.lease, to: now)
    }

    // MARK: - The store

    /// Within a session the generation only rises, and a session that is over stays over.
    private mutating func judgeStore() {
        var last: StoredView?
        /// The sessions that are over, and since when.
        var ended: [String: Int64] = [:]
        /// The sessions that a sign-in has replaced.
        var replaced: Set<String> = []
        for fact in facts {
            switch fact.event {
            case .recovered(let view):
                judgeRecovery(view, last, at: fact.time)
                last = view
                replaced.remove(view.session)
                // The end was not durable. Nobody may have been told of it.
                if view.kind == .token, let end = ended.removeValue(forKey: view.session),
                    wasSignedOut(at: end, fact.time)
                {
                    complain(.resurrected, "a power failure undid a sign-out", at: fact.time)
                }
            case .stored(let view):
                defer { last = view }
                if view.kind == .tombstone, ended[view.session] == nil { ended[view.session] = fact.time }
                guard view.kind == .token, let last else { continue }
                if ended[view.session] != nil {
                    complain(.resurrected, "session \(view.session.prefix(8)) is stored after its end", at: fact.time)
                }
                if replaced.contains(view.session), !mayBeSavedAgain(view.place, at: fact.time) {
                    complain(.resurrected, "session \(view.session.prefix(8)) replaces a later one", at: fact.time)
                }
                guard last.kind == .token else { continue }
                guard last.session == view.session else {
                    replaced.insert(last.session)
                    continue
                }
                if view.generation < last.generation {
                    complain(
                        .olderOverNewer, "generation \(view.generation) over \(last.generation)", at: fact.time)
                } else if view.generation == last.generation, view.place != last.place {
                    complain(.olderOverNewer, "one generation, \(view.generation), for two tokens", at: fact.time)
                }
            default: break
            }
        }
    }

    /// Whether a sign-in may still save its token over that of another one: it has not ended, or does not know that its
    /// token was saved.
    private func mayBeSavedAgain(_ place: Place?, at time: Int64) -> Bool {
        guard let family = place?.family, let issued = history.issued[family], let signedIn = history.signedIn[family],
            signedIn < time
        else { return true }
        return history.hasTrouble(.database, issued, time) || history.hasTrouble(.full, issued, time)
            || history.wasAnyStopped(from: issued - 15_000_000_000, to: time)
            || history.didAnyLoseAccess(from: issued, to: time)
    }

    /// Whether a sign-out wrote a tombstone at a time, and has ended without trouble before a power failure.
    private func wasSignedOut(at end: Int64, _ powerLoss: Int64) -> Bool {
        history.signOuts.values.contains {
            $0.began <= end && $0.ended >= end && $0.ended < powerLoss
                && !history.hasTrouble(.full, $0.began, $0.ended)
                && !history.wasAnyStopped(from: $0.began - 15_000_000_000, to: $0.ended)
        }
    }

    /// What a request has used was durable: a power failure must not lose it.
    private mutating func judgeRecovery(_ view: StoredView, _ last: StoredView?, at time: Int64) {
        if view.kind == .damaged { complain(.olderOverNewer, "a power failure left a damaged item", at: time) }
        guard let last, last.kind == .token, let place = last.place, view != last else { return }
        guard let usedAt = history.firstUse[place], usedAt < time,
            !history.mayHaveLost(place, before: time),
            !history.hasTrouble(.full, usedAt - 60_000_000_000, time)
        else { return }
        // A sign-out or a sign-in may be about to replace it.
        guard view.kind != .tombstone, view.place?.family == place.family || view.kind != .token else { return }
        complain(.olderOverNewer, "a power failure lost \(place), which was in use", at: time)
    }

    // MARK: - Requests

    private mutating func judgeRequests() {
        var began: [Int: (time: Int64, process: Int)] = [:]
        var family: [Int: Int] = [:]
        var last: Int64 = 0
        for fact in facts {
            last = fact.time
            switch fact.event {
            case .requestBegan(let request, let process, _):
                requests += 1
                began[request] = (fact.time, process)
            case .requestEnded(let request, _):
                if let begin = began.removeValue(forKey: request) { judgeDuration(begin, fact.time, request) }
            case .used(let request, _, let place, let origin, let isOurs):
                if !isOurs { complain(.otherOrigin, "request \(request) took \(place) to \(origin)", at: fact.time) }
                if let former = family[request], former != place.family {
                    complain(.otherPerson, "request \(request) was sent with \(former) and \(place)", at: fact.time)
                }
                family[request] = place.family
            default: break
            }
        }
        for (request, begin) in began.sorted(by: { $0.key < $1.key }) where history.kills[begin.process] == nil {
            complain(.requestWithoutEnd, "request \(request) of process \(begin.process)", at: last)
        }
    }

    private mutating func judgeDuration(_ begin: (time: Int64, process: Int), _ end: Int64, _ request: Int) {
        let limit = setting.requestLimit + history.stopped(begin.process, from: begin.time, to: end)
        if end - begin.time > limit {
            complain(.requestWithoutEnd, "request \(request) took \((end - begin.time) / 1_000_000) ms", at: end)
        }
    }
}
