// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// What a client hands in for a token: a JWT that somebody signed (RFC 7523 §2.1).
public struct GrantAssertion: Sendable, RedactedDescription {
    let text: @Sendable (TokenEndpoint) async throws -> String
    /// Whether the next one is another one, so that a refusal is no verdict for good.
    let isRenewed: Bool

    /// One that is there, such as the token that came with a request.
    public static func token(_ text: String) -> GrantAssertion {
        GrantAssertion(text: { _ in text }, isRenewed: false)
    }

    /// One that is fetched each time.
    public static func fetched(_ body: @escaping @Sendable () async throws -> String) -> GrantAssertion {
        GrantAssertion(text: { _ in try await body() }, isRenewed: true)
    }

    /// One that the program signs, anew each time.
    ///
    /// - Parameters:
    ///   - signer: makes the signature.
    ///   - issuer: who signs: the service account.
    ///   - subject: whom the token is for; the issuer if it is `nil` (RFC 7523 §3).
    ///   - audience: for whom the assertion is made.
    ///   - lifetime: how long it is good for; servers take an hour at most.
    ///   - claims: more of them. None replaces one that is made here.
    public static func signed(
        by signer: any TokenSigner, issuer: String, subject: String? = nil, audience: AssertionAudience = .issuer,
        lifetime: Duration = .seconds(300), claims: [String: JSONValue] = [:]
    ) -> GrantAssertion {
        signed(by: signer, issuer: issuer, subject: subject ?? issuer, audience: audience, lifetime, claims)
    }

    // MARK: -

    static func signed(
        by signer: any TokenSigner, issuer: String, subject: String?, audience: AssertionAudience,
        _ lifetime: Duration, _ claims: [String: JSONValue], type: String = "JWT"
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
                return try await JSONWebToken.signed(own.merging(claims) { own, _ in own }, type: type, by: signer)
            }, isRenewed: true)
    }
}
