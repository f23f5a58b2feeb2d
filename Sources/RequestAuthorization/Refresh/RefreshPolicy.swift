// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// When a token is refreshed, and what happens when that fails. The defaults suit tokens of 2 seconds as of 24 hours.
///
///     let auth = RefreshableTokenAuthorization(service: service, policy: RefreshPolicy(deadline: .seconds(10)))
public struct RefreshPolicy: Hashable, Sendable {
    /// How long before its expiry a token is refreshed in the background.
    public struct Leeway: Hashable, Sendable {
        /// Never earlier than this before expiry; 120 s by default.
        public var maximum: Duration
        /// Never earlier than this part of the lifetime before expiry; a tenth by default.
        public var fraction: Double

        public init(maximum: Duration = .seconds(120), fraction: Double = 0.1) {
            self.maximum = maximum
            self.fraction = fraction
        }
    }

    /// How long to leave a failing token service alone: a random time up to `initial`, doubled with each failure.
    public struct BackOff: Hashable, Sendable {
        /// The bound after the first failure; 1 s by default.
        public var initial: Duration
        /// The bound that is never passed; 60 s by default.
        public var maximum: Duration
        /// How much of a server's `Retry-After` is honoured; 5 min by default.
        public var maximumRetryAfter: Duration

        public init(
            initial: Duration = .seconds(1), maximum: Duration = .seconds(60),
            maximumRetryAfter: Duration = .seconds(300)
        ) {
            self.initial = initial
            self.maximum = maximum
            self.maximumRetryAfter = maximumRetryAfter
        }
    }

    /// How many young tokens a server may refuse before refreshing stops.
    public struct Storm: Hashable, Sendable {
        /// Refreshes within the window that 401s on young tokens may cause; 5 by default.
        public var limit: Int
        /// 30 s by default.
        public var window: Duration
        /// A token is young during this part of its lifetime; a tenth by default.
        public var youth: Double

        public init(limit: Int = 5, window: Duration = .seconds(30), youth: Double = 0.1) {
            self.limit = limit
            self.window = window
            self.youth = youth
        }
    }

    /// Who waits for a refresh ahead of expiry.
    public struct AheadOfExpiry: Hashable, Sendable {
        /// How long a request waits before it goes on with the token that is still valid; `nil` if none waits.
        let patience: Duration?

        /// No request waits. For programs that live on: the refresh outlives the request that began it.
        public static let inBackground = AheadOfExpiry(patience: nil)

        /// Requests wait, but not longer than this, and go on with the valid token if the refresh fails. For tools that end: no
        /// refresh is under way that the end of the program would abandon.
        public static func inForeground(atMost patience: Duration) -> Self { Self(patience: patience) }
    }

    public var leeway: Leeway
    /// Who waits for a refresh ahead of expiry; no request by default.
    public var aheadOfExpiry: AheadOfExpiry
    /// The part of the leeway, 0 to 1, by which the background refresh is moved at random, so that a fleet does not refresh
    /// in step; 0.2 by default.
    public var jitter: Double
    /// How long those who wait for a refresh wait at most; 30 s by default. After twice the time a new refresh may begin.
    public var deadline: Duration
    public var backOff: BackOff
    public var storm: Storm
    /// How long a token waits for its store before it is used unsaved; 10 s by default.
    public var storeDeadline: Duration
    /// How long a refresh waits for the sibling that holds a shared store; 20 s by default.
    public var lockDeadline: Duration
    /// How long before the end of a session, where that is known, listeners hear of it; 7 days by default.
    public var signInNotice: Duration

    public init(
        leeway: Leeway = Leeway(), aheadOfExpiry: AheadOfExpiry = .inBackground, jitter: Double = 0.2,
        deadline: Duration = .seconds(30),
        backOff: BackOff = BackOff(), storm: Storm = Storm(),
        storeDeadline: Duration = .seconds(10), lockDeadline: Duration = .seconds(20),
        signInNotice: Duration = .seconds(7 * 86_400)
    ) {
        self.leeway = leeway
        self.aheadOfExpiry = aheadOfExpiry
        self.jitter = jitter
        self.deadline = deadline
        self.backOff = backOff
        self.storm = storm
        self.storeDeadline = storeDeadline
        self.lockDeadline = lockDeadline
        self.signInNotice = signInNotice
    }

    public static let `default` = RefreshPolicy()

    /// For a program that ends: nothing begins in the background. Ahead of expiry a request waits for the refresh, for 5 s at
    /// most; if it fails or takes longer, the request goes on with the token that is still valid.
    ///
    /// Before the program ends, await ``RefreshableTokenAuthorization/settle(within:)``.
    public static let tool = RefreshPolicy(aheadOfExpiry: .inForeground(atMost: .seconds(5)))
}
