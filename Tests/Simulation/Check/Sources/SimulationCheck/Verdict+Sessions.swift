// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Verdict {
    // MARK: - Sign-outs

    /// A request that begins after a sign-out takes no credential of a session that its process had before.
    ///
    /// A process that has not heard of a sign-in elsewhere ends the session that it has, and follows the other one.
    mutating func judgeSignOuts() {
        var signOutBegan: [Int: Int64] = [:]
        /// The end of the last sign-out of a process, and when it began.
        var signedOut: [Int: (began: Int64, ended: Int64)] = [:]
        var requestBegan: [Int: Int64] = [:]
        /// The sessions that a process has had, and since when.
        var known: [Int: [Int: Int64]] = [:]
        var current: StoredView?
        for fact in facts {
            switch fact.event {
            case .signOutBegan(let process): signOutBegan[process] = fact.time
            case .stored(let view), .recovered(let view): current = view
            case .signedOut(let process):
                let out = (began: signOutBegan[process] ?? fact.time, ended: fact.time)
                signedOut[process] = out
                judgeStore(current, known[process] ?? [:], after: out, of: process)
            case .requestBegan(let request, _, _): requestBegan[request] = fact.time
            case .signedIn(let process, let family): known[process, default: [:]][family] = fact.time
            case .used(let request, let process, let place, _, _):
                let since = known[process, default: [:]][place.family]
                if since == nil { known[process, default: [:]][place.family] = fact.time }
                guard let since, let out = signedOut[process], since < out.began, let begin = requestBegan[request],
                    begin > out.ended
                else { continue }
                complain(.afterSignOut, "request \(request) of process \(process) took \(place)", at: fact.time)
            default: break
            }
        }
        judgeRefreshesAfterTombstones()
    }

    /// After a sign-out the store does not have the session any more, unless it could not be changed.
    private mutating func judgeStore(
        _ current: StoredView?, _ known: [Int: Int64], after out: (began: Int64, ended: Int64), of process: Int
    ) {
        guard let current, current.kind == .token, let family = current.place?.family, let since = known[family],
            since < out.began, !history.hasTrouble(.full, out.began, out.ended),
            !history.hasTrouble(.database, out.began, out.ended),
            // A stopped process may hold the guard of the file. And a call that a stop has made late delays the next one.
            !history.wasAnyStopped(from: out.began - 15_000_000_000, to: out.ended)
        else { return }
        complain(.afterSignOut, "the store has session \(family) after process \(process) signed out", at: out.ended)
    }

    /// Once the store says that a session is over, no process sends its refresh token. What was read before may be sent
    /// for a while.
    private mutating func judgeRefreshesAfterTombstones() {
        /// The library's session and the server's family.
        var families: [String: Int] = [:]
        var over: [Int: Int64] = [:]
        for fact in facts {
            switch fact.event {
            case .stored(let view), .recovered(let view):
                if let place = view.place { families[view.session] = place.family }
                if view.kind == .tombstone, let family = families[view.session], over[family] == nil {
                    over[family] = fact.time
                }
                // A power failure may bring a session back whose end was not durable.
                if case .recovered = fact.event, let family = view.place?.family { over[family] = nil }
            case .asked(_, let process, let place):
                guard let end = over[place.family] else { continue }
                let late = fact.time - end - history.stopped(process, from: end, to: fact.time)
                if late > Self.readAhead {
                    complain(
                        .afterSignOut, "process \(process) sent \(place) \(late / 1_000_000) ms late", at: fact.time)
                }
            default: break
            }
        }
    }

    /// The longest time between reading the store and sending a refresh token.
    private static let readAhead: Int64 = 25_000_000_000

    // MARK: - Revocations

    /// The library revokes no stored session at the server, unless somebody has signed out, or signed in anew.
    mutating func judgeRevocations() {
        var (signIns, hasSignOut) = (0, false)
        for fact in facts {
            switch fact.event {
            case .signInBegan: signIns += 1
            case .signOutBegan: hasSignOut = true
            case .revoked(let family, isUnexpected: false):
                guard signIns < 2, !hasSignOut, history.wasStored(family, before: fact.time) else { continue }
                complain(.sessionLost, "session \(family) was revoked, and goes on in the store", at: fact.time)
            default: break
            }
        }
    }

    // MARK: - The end

    /// After the faults every process has a token again, unless its session is over.
    mutating func judgeEnd() {
        var probes: [Int: Int] = [:]
        var isCalm = false
        var current: StoredView?
        for fact in facts {
            switch fact.event {
            case .calm: isCalm = true
            case .stored(let view), .recovered(let view): current = view
            case .requestBegan(let request, let process, isProbe: true): probes[request] = process
            case .requestEnded(let request, let outcome):
                guard isCalm, let process = probes[request] else { continue }
                judgeProbe(outcome, process, current, at: fact.time)
            case .left(let process, let what):
                complain(.leftover, "process \(process): \(what)", at: fact.time)
            default: break
            }
        }
    }

    private mutating func judgeProbe(_ outcome: Outcome, _ process: Int, _ current: StoredView?, at time: Int64) {
        if outcome == .answered(200) { return }
        // Nobody is signed in, or the session has ended at the server.
        guard let current, current.kind == .token, let place = current.place else {
            return judgeMissing(current, process, at: time)
        }
        if history.ends[place.family].map({ $0 <= time }) ?? false { return }
        if mayStaySignedOut(process, of: place.family) { return }
        if missedSignIn(process, to: place.family) { return }
        // The host that signed in has died before it announced that, and before its caller knew.
        if setting.store == .leased, history.signedIn[place.family] == nil { return }
        complain(.sessionLost, "process \(process) cannot use session \(place.family): \(outcome)", at: time)
    }

    /// Whether a process was stopped while its session had ended and another one was signed in elsewhere. If it could not
    /// store the end before, it keeps to it until the store changes again.
    private func missedSignIn(_ process: Int, to family: Int) -> Bool {
        guard let issued = history.issued[family], let signedIn = history.signedIn[family] else { return false }
        return history.wasStopped(process, from: issued, to: signedIn)
            && history.ends.contains { $0.key != family && $0.value < issued }
    }

    /// Whether a process has signed out while a session was signed in elsewhere. It may stay signed out then: which of
    /// both was first is not known if the store could not be changed at once.
    private func mayStaySignedOut(_ process: Int, of family: Int) -> Bool {
        guard let out = history.signOuts[process], let issued = history.issued[family] else { return false }
        if history.wasStopped(process, from: issued, to: out.ended) { return true }
        if issued <= out.ended, history.signedIn[family].map({ $0 >= out.began }) ?? true { return true }
        return issued > out.began
            && (history.hasTrouble(.database, out.began, issued) || history.hasTrouble(.full, out.began, issued))
    }

    /// The store is empty although nobody has signed out, and the session goes on at the server.
    private mutating func judgeMissing(_ current: StoredView?, _ process: Int, at time: Int64) {
        guard current?.kind != .tombstone, let family = history.lastSignedIn, history.ends[family] == nil,
            !history.hasSignOut
        else { return }
        // The only copy was lost with its process, because the store was full at the sign-in.
        if !history.wasStored(family), let at = history.signedIn[family],
            history.hasTrouble(.full, at - 60_000_000_000, at)
        {
            return
        }
        complain(.sessionLost, "process \(process) finds no session \(family) in the store", at: time)
    }
}
