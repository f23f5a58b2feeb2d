// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// Checks that an `AuthorizationToken` conforms, in one line of a test.
///
///     @Test func `my token is one`() async throws {
///         try await AuthorizationTokenChecks(
///             expired: MyToken("a-credential", expiresAt: .now - 60), valid: MyToken("a-credential", expiresAt: .now + 60)
///         ).run()
///     }
///
/// The checks: a header can hold the value of the field; the token does not print it; one token has expired and the
/// other has not. A type with a property `isExpired` but no `expiresAt` compiles, and never expires for a provider. The
/// checks report that.
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
        self.expired = expired
        self.valid = valid
        self.clock = clock
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled.
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
        try require(!valid.isExpired(at: now), "the valid token has expired: its expiresAt is in the past")
        guard let expired else { return }
        if expired.expiresAt == .distantFuture {
            throw CheckProblem(
                "the expired token never expires: implement expiresAt; a property isExpired is not used")
        }
        try require(expired.isExpired(at: now), "the expired token has not expired: its expiresAt is in the future")
    }
}
