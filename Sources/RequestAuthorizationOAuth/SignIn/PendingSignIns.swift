// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// What a store of sign-ins holds: those that wait, and which were taken a short while ago.
struct PendingSignIns: Codable, Hashable, Sendable, RedactedDescription {
    /// A sign-in that somebody finished.
    private struct Taken: Codable, Hashable, Sendable, RedactedDescription {
        let state: String
        let createdAt: Date
    }

    private var pending: [PendingSignIn] = []
    private var taken: [Taken] = []

    /// Keeps a sign-in.
    ///
    /// - Parameter limit: how many to keep; the oldest goes first.
    mutating func add(_ new: PendingSignIn, limit: Int) throws {
        guard try find(state: new.state) == nil else { return }
        // Twice as long as they are valid, so that a late callback is told that it is late.
        let isRecent = { (date: Date) in
            abs(date.timeIntervalSince(new.createdAt)) < 2 * (PendingSignIn.lifetime / .seconds(1))
        }
        pending = pending.filter { isRecent($0.createdAt) }.suffix(limit - 1) + [new]
        taken = taken.filter { isRecent($0.createdAt) }.suffix(limit)
    }

    /// All are looked at, whichever it is.
    func find(state: String) throws -> PendingSignIn? {
        let isTaken = taken.reduce(false) { ConstantTime.areEqual($1.state, state) || $0 }
        if isTaken { throw SignInError(.alreadyUsed) }
        return pending.reduce(nil) { ConstantTime.areEqual($1.state, state) ? $1 : $0 }
    }

    mutating func take(state: String) throws -> PendingSignIn? {
        guard let found = try find(state: state) else { return nil }
        pending.removeAll { $0.state == found.state }
        taken.append(Taken(state: found.state, createdAt: found.createdAt))
        return found
    }
}
