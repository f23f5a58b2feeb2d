// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks that an `AuthorizationToken` conforms, in one line of a test.
///
///     @Test func `my token is one`() async throws {
///         try await AuthorizationTokenChecks(
///             expired: MyToken("a-credential", expiresAt: .now - 60),
///             valid: MyToken("a-credential", expiresAt: .now + 60)
///         ).run()
///     }
///
/// The checks: a header can hold the value of the field; the token does not print it; one token has expired and the
/// other has not; the date stays the same. A type with a property `isExpired` but no `expiresAt` compiles, and never
/// expires for a provider. The checks report that.
public struct AuthorizationTokenChecks<Token: AuthorizationToken>: Sendable, RedactedDescription {
    private let expired: Token?
    private let valid: Token
    private let clock: any AuthorizationClock

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - expired: a token that has expired; `nil` for a type whose tokens do not expire.
    ///   - valid: a token that has not expired.
    ///   - clock: the clock that tells the present date.
    public init(expired: Token?, valid: Token, clock: any AuthorizationClock = .system) {
        (self.expired, self.valid, self.clock) = (expired, valid, clock)
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled.
    public func run() async throws {
        let checks = [
            Check("has a value that can be sent") {
                for token in tokens { try requireFieldValue(token.authorizationHeaderValue) }
            },
            Check("does not show its credential") {
                for token in tokens { try Leak.check(token, for: [token.authorizationHeaderValue]) }
            },
            Check("expires when it should") { try checkExpiry() },
        ]
        try await Check.run(checks, of: "\(Token.self)")
    }

    private var tokens: [Token] { [valid, expired].compactMap(\.self) }

    private func checkExpiry() throws {
        let now = clock.now
        for token in tokens {
            // Two readings may fall into one tick of a clock.
            let readings = Set((1...1000).map { _ in token.expiresAt })
            try require(readings.count == 1, "its expiresAt changes with time: store a date when the token is made")
        }
        try require(!valid.isExpired(at: now), "the valid token has expired: its expiresAt is in the past")
        guard let expired else { return }
        try require(
            expired.expiresAt != .distantFuture,
            "the expired token never expires: implement expiresAt; a property isExpired is not used")
        try require(expired.isExpired(at: now), "the expired token has not expired: its expiresAt is in the future")
    }
}
