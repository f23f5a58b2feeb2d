// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The contents of a store: the pending sign-ins, and the states of those that were taken recently.
@usableFromInline struct PendingSignIns: Codable, Hashable, Sendable, RedactedDescription {
    /// A sign-in that was taken in order to finish it.
    private struct Taken: Codable, Hashable, Sendable, RedactedDescription {
        let state: String
        let createdAt: Date
    }

    private var pending: [PendingSignIn] = []
    private var taken: [Taken] = []

    /// Adds a sign-in. At most `limit` sign-ins are kept; the oldest is dropped first.
    mutating func add(_ new: PendingSignIn, limit: Int) throws {
        guard try find(state: new.state) == nil else { return }
        // Kept twice as long as they are valid, so that a late callback gets the error `expired`.
        let isRecent = { (date: Date) in
            abs(date.timeIntervalSince(new.createdAt)) < 2 * (PendingSignIn.lifetime / .seconds(1))
        }
        pending = pending.filter { isRecent($0.createdAt) }.suffix(limit - 1) + [new]
        taken = taken.filter { isRecent($0.createdAt) }.suffix(limit)
    }

    /// Compares with all sign-ins, so that the time does not depend on which one matches.
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

/// Keeps sign-ins as long as the process lives, at most 10 000. The oldest is dropped first.
///
/// A server also keeps each ``PendingSignIn`` in the session of the browser that began it, and finishes that one.
public final class InMemoryPendingSignIns: PendingSignInsInOnePlace, RedactedDescription {
    static let shared = InMemoryPendingSignIns()

    @usableFromInline let limit: Int
    private let signIns = Lock(PendingSignIns())

    public convenience init() { self.init(limit: 10_000) }

    init(limit: Int) { self.limit = limit }

    @usableFromInline func kept() -> PendingSignIns { signIns.withLock { $0 } }

    @usableFromInline func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout PendingSignIns) throws -> Value
    ) async throws -> Value { try signIns.withLock(body) }
}
