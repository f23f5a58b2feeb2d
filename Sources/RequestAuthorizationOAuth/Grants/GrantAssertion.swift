// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A signed JWT that a client exchanges for a token (RFC 7523 §2.1).
public struct GrantAssertion: Sendable, RedactedDescription {
    /// Makes the assertion for one request.
    let text: @Sendable (ClientRequest) async throws -> String
    /// Whether each assertion is a new one, so that the refusal of one is not final.
    let isRenewed: Bool

    /// A constant assertion, such as the token that came with a request.
    public static func token(_ text: String) -> GrantAssertion { GrantAssertion(text: { _ in text }, isRenewed: false) }

    /// An assertion that is fetched for each request.
    public static func fetched(
        _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> String
    ) -> GrantAssertion {
        GrantAssertion(text: { _ in try await body() }, isRenewed: true)
    }

    /// An assertion that the program signs for each request.
    ///
    /// Each one has a new `jti` (RFC 7523 §3), because servers may refuse an assertion that they have seen. With
    /// `claims: ["jti": .null]` it has none, for a server that accepts no such claim.
    ///
    /// - Parameters:
    ///   - signer: makes the signature.
    ///   - issuer: the `iss` claim, such as a service account.
    ///   - subject: the `sub` claim, the account that the token is for; the issuer if it is `nil` (RFC 7523 §3).
    ///   - audience: the recipient that the assertion names.
    ///   - lifetime: how long the assertion is valid; servers accept an hour at most.
    ///   - claims: further claims. Of the claims that are made here, they replace or drop the `jti` only.
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
            text: { request in
                let issuedAt = request.date.wholeSeconds
                var all = claims
                all["iss"] = .string(issuer)
                all["iat"] = .integer(issuedAt)
                all["exp"] = .integer(issuedAt + lifetime.saturated.components.seconds)
                all["aud"] = .string(try audience.text(for: request.server, parameter: "assertion"))
                if let subject { all["sub"] = .string(subject) }
                switch claims["jti"] {
                case nil: all["jti"] = .string(JSONWebToken.makeIdentifier())
                case .null: all["jti"] = nil
                default: break
                }
                return try await JSONWebToken.signed(all, type: "JWT", by: signer)
            }, isRenewed: true)
    }
}
