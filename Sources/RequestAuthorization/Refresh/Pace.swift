// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// When the next refresh may begin, and the error for those who come earlier.
///
/// One cause has one error: the last failure, until a success. Tests explore all of its states.
struct Pace: Hashable {
    /// The last failure; `nil` after a success.
    private(set) var failure: RefreshFailure?
    /// Consecutive refusals of the token endpoint that do not end the session.
    var refusals: Refusals? { row.first }
    /// One or none: an empty array needs no memory of its own.
    private var row: [Refusals] = []
    private(set) var backOff = BackOff()
    private(set) var storm = StormGuard()
    /// The longest lifetime of a token that a refresh of the session has brought, in seconds; `nil` before the first.
    private(set) var longest: TimeInterval?

    /// The longest delay before a retry when the situation can change at any moment.
    private static var shortly: Duration { .seconds(1) }

    // MARK: Slots

    var slot: Duration { backOff.slot }

    func isOpen(at now: Moment) -> Bool { backOff.isOpen(at: now) }

    mutating func lift() { backOff.lift() }

    // MARK: Results

    /// Counts a failed refresh.
    ///
    /// - Parameter isBrief: whether another process may change the situation at any moment.
    mutating func fail(
        _ failure: RefreshFailure, isBrief: Bool, at now: Moment, policy: RefreshPolicy.BackOff, random: Double
    ) {
        // After a lost answer, retry soon: the server's grace period for it is short.
        let isFirstLoss = failure.isLoss && self.failure?.isLoss != true
        self.failure = failure
        row = Refusals.after(failure, in: refusals, at: now).map { [$0] } ?? []
        backOff.fail(
            retryAfter: failure.retryAfter, atMost: isFirstLoss || isBrief ? Self.shortly : nil,
            isLongest: failure.needsAction, at: now, policy: policy, random: random)
    }

    /// Counts a token that cannot be used: it cannot be sent, or it had expired on arrival.
    ///
    /// Otherwise each request would call the service.
    mutating func fail(with error: any Error, at now: Moment, policy: RefreshPolicy.BackOff, random: Double) {
        failure = RefreshFailure(error)
        backOff.fail(at: now, policy: policy, random: random)
    }

    mutating func expire(_ error: TokenExpiredOnArrival, at now: Moment, policy: RefreshPolicy, random: Double) {
        fail(with: error, at: now, policy: policy.backOff, random: random)
        storm.admits(at: now.uptime, policy: policy.storm)
    }

    /// Keeps the slot closed for a moment after a read that has brought nothing new.
    mutating func pause(at now: Moment, policy: RefreshPolicy.BackOff, random: Double) {
        backOff.fail(atMost: Self.shortly, at: now, policy: policy, random: random)
    }

    mutating func succeed() {
        (failure, row) = (nil, [])
        backOff = BackOff()
    }

    /// Forgets the refreshes that followed 401s, and how long tokens last, because the session is over.
    mutating func calm() { (storm, longest) = (StormGuard(), nil) }

    // MARK: Errors

    /// The error of the last failure, with the time of the next try.
    func error(at now: Moment) -> (any Error)? { failure.map { error(for: $0, at: now) } }

    func error(for failure: RefreshFailure, at now: Moment) -> any Error {
        if let error = failure.notAuthorized { return error }
        var error = RefreshFailed(
            underlying: failure.error, nextTryAt: backOff.date(at: now), delivery: failure.delivery)
        error.refusals = refusals?.facts
        return error
    }

    /// The error for those who come before the slot; `nil` if a refresh may begin.
    func refusal(at now: Moment) -> (any Error)? { isOpen(at: now) ? nil : error(at: now) }

    // MARK: Lifetimes

    /// Notes how long a token lasts that a refresh has brought.
    mutating func note(_ held: HeldToken) {
        longest = max(longest ?? 0, held.expiresAt.timeIntervalSince(held.obtainedAt))
    }

    /// Whether the next token may last longer than a time in seconds, as far as the earlier ones tell.
    func mayLast(longerThan left: TimeInterval) -> Bool { longest.map { $0 > left } ?? true }

    // MARK: Storms

    /// Counts a refresh of a young token that is about to begin, and returns whether there were not too many.
    mutating func admits(at now: Moment, policy: RefreshPolicy.Storm) -> Bool {
        storm.admits(at: now.uptime, policy: policy)
    }
}
