// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// What every `AuthorizationToken` must do, to be asked of yours in one line.
///
///     @Test func `my token is one`() async throws {
///         try await AuthorizationTokenChecks(
///             expired: MyToken("a-credential", expiresAt: .now - 60), valid: MyToken("a-credential", expiresAt: .now + 60)
///         ).run()
///     }
///
/// The checks: the value of the field can stand in a header; the token does not print it; one has expired by now and the other
/// has not. A type that has a property `isExpired` and no `expiresAt` compiles, and never expires for a provider: the checks
/// find that.
public struct AuthorizationTokenChecks<Token: AuthorizationToken>: Sendable, RedactedDescription {
    private let expired: Token?
    private let valid: Token
    private let clock: any AuthorizationClock

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - expired: a token that has ended by now; `nil` for a type whose tokens do not expire.
    ///   - valid: a token that has not.
    ///   - clock: what says what time it is now.
    public init(expired: Token?, valid: Token, clock: any AuthorizationClock = .system) {
        self.expired = expired
        self.valid = valid
        self.clock = clock
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all that is wrong; `CancellationError` if the task is cancelled.
    public func run() async throws {
        let checks = [
            Check("has a value that can be sent") { try checkValue() },
            Check("does not show its credential") { try checkRedaction() },
            Check("expires when it should") { try checkExpiry() },
        ]
        try await Check.run(checks, of: "\(Token.self)", within: .seconds(120), of: .system)
    }

    private var tokens: [Token] { [valid] + (expired.map { [$0] } ?? []) }

    private func checkValue() throws {
        for token in tokens {
            do {
                try HeaderFieldValue.check(token.authorizationHeaderValue)
            } catch {
                throw CheckProblem(error.detail ?? "\(error)", underlying: error)
            }
        }
    }

    private func checkRedaction() throws {
        for token in tokens {
            if let face = Leak.find([token.authorizationHeaderValue], in: token) {
                throw CheckProblem("its \(face) shows the credential")
            }
        }
    }

    private func checkExpiry() throws {
        let now = clock.now
        try require(!valid.isExpired(at: now), "the valid token has expired: its expiresAt is over")
        guard let expired else { return }
        if expired.expiresAt == .distantFuture {
            throw CheckProblem(
                "the expired token never expires: implement expiresAt, for a property isExpired is not asked")
        }
        try require(expired.isExpired(at: now), "the expired token has not expired: its expiresAt is still to come")
    }
}
