// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// When a token is refreshed, and what follows a failure. The defaults suit token lifetimes of 2 seconds to 24 hours.
///
///     let auth = RefreshableTokenAuthorization(service: service, policy: RefreshPolicy(deadline: .seconds(10)))
public struct RefreshPolicy: Hashable, Sendable {
    /// How long before expiry the token is refreshed in the background: the smaller of the two limits.
    public struct Leeway: Hashable, Sendable {
        /// The longest leeway; 120 s by default.
        public var maximum: Duration
        /// The leeway as a part of the token's lifetime, 0 to 1; a tenth by default.
        public var fraction: Double

        public init(maximum: Duration = .seconds(120), fraction: Double = 0.1) {
            (self.maximum, self.fraction) = (maximum, fraction)
        }
    }

    /// How long to wait after a failure: a random time up to `initial`, doubled with each further failure.
    public struct BackOff: Hashable, Sendable {
        /// The bound after the first failure; 1 s by default.
        public var initial: Duration
        /// The largest bound; 60 s by default.
        public var maximum: Duration
        /// How much of a server's `Retry-After` is honoured: a longer one counts as this time; 5 min by default.
        public var maximumRetryAfter: Duration
        /// A request waits for the next try if that comes within this time of its arrival, or of its first failure.
        /// It is 2 s by default; with 0 a request fails at once.
        public var patience: Duration

        public init(
            initial: Duration = .seconds(1), maximum: Duration = .seconds(60),
            maximumRetryAfter: Duration = .seconds(300), patience: Duration = .seconds(2)
        ) {
            (self.initial, self.maximum) = (initial, maximum)
            (self.maximumRetryAfter, self.patience) = (maximumRetryAfter, patience)
        }
    }

    /// How many refreshes may follow 401s on young tokens before refreshing stops.
    public struct Storm: Hashable, Sendable {
        /// The number of such refreshes within the window; 5 by default.
        public var limit: Int
        /// The length of the window; 30 s by default.
        public var window: Duration
        /// A token is young during this part of its lifetime; a tenth by default.
        public var youth: Double

        public init(limit: Int = 5, window: Duration = .seconds(30), youth: Double = 0.1) {
            (self.limit, self.window, self.youth) = (limit, window, youth)
        }
    }

    /// Whether requests wait for a refresh ahead of expiry.
    public struct AheadOfExpiry: Hashable, Sendable {
        /// How long a request waits before it uses the token that is still valid; `nil` if no request waits.
        let patience: Duration?

        /// No request waits. For programs that run on: the refresh outlives the request that began it.
        public static let inBackground = AheadOfExpiry(patience: nil)

        /// Requests wait for this long at most, but not for more than half of what is left of the token's life. They use
        /// the valid token if the refresh fails or takes longer. For tools that end soon: the end of the program abandons
        /// no refresh.
        public static func inForeground(atMost patience: Duration) -> Self { Self(patience: patience) }
    }

    /// How long before expiry a refresh is due.
    public var leeway: Leeway
    /// Whether requests wait for a refresh ahead of expiry; none does by default.
    public var aheadOfExpiry: AheadOfExpiry
    /// The part of the leeway, 0 to 1, by which a refresh is randomly delayed at most; 0.2 by default. It keeps the
    /// members of a fleet from refreshing at the same time.
    public var jitter: Double
    /// How long a waiter waits at most for one refresh; 30 s by default. After twice this time a new refresh may begin.
    public var deadline: Duration
    /// How long the service is left alone after a failure, and how long requests wait for the next try.
    public var backOff: BackOff
    /// When refreshing stops because servers refuse new tokens.
    public var storm: Storm
    /// How long a load or a save may take; 10 s by default. A token that is not saved by then is used unsaved.
    public var storeDeadline: Duration
    /// How long a refresh waits for a sibling to release a shared store; 20 s by default.
    public var lockDeadline: Duration
    /// How long before a known end of the session listeners are told of it; 7 days by default.
    public var signInNotice: Duration
    /// Whether a token is refreshed after about four fifths of the time after which the server ends unused sessions
    /// (``AuthorizationToken/refreshNeededBefore``); `false` by default.
    ///
    /// It works while the program runs and the provider lives: a pool may have dropped it. With a read-only store it does
    /// nothing. A refresh that wins no time is not repeated, and no refresh moves
    /// ``AuthorizationToken/signInNeededBefore`` of an authorization that ends.
    public var keepsAlive: Bool

    public init(
        leeway: Leeway = Leeway(), aheadOfExpiry: AheadOfExpiry = .inBackground, jitter: Double = 0.2,
        deadline: Duration = .seconds(30), backOff: BackOff = BackOff(), storm: Storm = Storm(),
        storeDeadline: Duration = .seconds(10), lockDeadline: Duration = .seconds(20),
        signInNotice: Duration = .seconds(7 * 86_400), keepsAlive: Bool = false
    ) {
        (self.leeway, self.aheadOfExpiry, self.jitter, self.deadline) = (leeway, aheadOfExpiry, jitter, deadline)
        (self.backOff, self.storm, self.signInNotice) = (backOff, storm, signInNotice)
        (self.storeDeadline, self.lockDeadline, self.keepsAlive) = (storeDeadline, lockDeadline, keepsAlive)
    }

    /// The same policy without durations that would end the program when they are added to a time.
    var saturated: RefreshPolicy {
        var policy = self
        policy.leeway.maximum = leeway.maximum.saturated
        policy.aheadOfExpiry = AheadOfExpiry(patience: aheadOfExpiry.patience?.saturated)
        (policy.deadline, policy.signInNotice) = (deadline.saturated, signInNotice.saturated)
        (policy.storeDeadline, policy.lockDeadline) = (storeDeadline.saturated, lockDeadline.saturated)
        policy.backOff = BackOff(
            initial: backOff.initial.saturated, maximum: backOff.maximum.saturated,
            maximumRetryAfter: backOff.maximumRetryAfter.saturated, patience: backOff.patience.saturated)
        policy.storm.window = storm.window.saturated
        return policy
    }

    /// For programs that run on: requests with a valid token never wait for its refresh.
    public static let `default` = RefreshPolicy()

    /// For a program that ends soon: no refresh begins in the background. Ahead of expiry a request waits up to 5 s for
    /// the refresh. If that fails or takes longer, the request uses the token that is still valid.
    ///
    /// Before the program ends, await ``RefreshableTokenAuthorization/settle(within:)``.
    public static let tool = RefreshPolicy(aheadOfExpiry: .inForeground(atMost: .seconds(5)))
}
