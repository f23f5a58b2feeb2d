// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A signed JWT that a client exchanges for a token (RFC 7523 §2.1).
public struct GrantAssertion: Sendable, RedactedDescription {
    let text: @Sendable (TokenEndpoint) async throws -> String
    /// Whether each assertion is a new one, so that the refusal of one is not final.
    let isRenewed: Bool

    /// A constant assertion, such as the token that came with a request.
    public static func token(_ text: String) -> GrantAssertion { GrantAssertion(text: { _ in text }, isRenewed: false) }

    /// An assertion that is fetched for each exchange.
    public static func fetched(_ body: @escaping @Sendable () async throws -> String) -> GrantAssertion {
        GrantAssertion(text: { _ in try await body() }, isRenewed: true)
    }

    /// An assertion that the program signs for each exchange.
    ///
    /// - Parameters:
    ///   - signer: makes the signature.
    ///   - issuer: the `iss` claim, such as a service account.
    ///   - subject: the `sub` claim, the account that the token is for; the issuer if it is `nil` (RFC 7523 §3).
    ///   - audience: the recipient that the assertion names.
    ///   - lifetime: how long the assertion is valid; servers accept an hour at most.
    ///   - claims: further claims. They cannot replace a claim that is made here.
    public static func signed(
        by signer: any TokenSigner, issuer: String, subject: String? = nil, audience: AssertionAudience = .issuer,
        lifetime: Duration = .seconds(300), claims: [String: JSONValue] = [:]
    ) -> GrantAssertion {
        signed(by: signer, issuer: issuer, subject: subject ?? issuer, audience: audience, lifetime, claims)
    }

    // MARK: -

    static func signed(
        by signer: any TokenSigner, issuer: String, subject: String?, audience: AssertionAudience,
        _ lifetime: Duration, _ claims: [String: JSONValue]
    ) -> GrantAssertion {
        GrantAssertion(
            text: { endpoint in
                let issuedAt = Int64(endpoint.clock.now.timeIntervalSince1970)
                var own: [String: JSONValue] = [
                    "iss": .string(issuer), "iat": .integer(issuedAt),
                    "exp": .integer(issuedAt + lifetime.components.seconds),
                    "aud": .string(try audience.text(for: endpoint.server, parameter: "assertion")),
                ]
                own["sub"] = subject.map { .string($0) }
                return try await JSONWebToken.signed(own.merging(claims) { own, _ in own }, type: "JWT", by: signer)
            }, isRenewed: true)
    }
}
