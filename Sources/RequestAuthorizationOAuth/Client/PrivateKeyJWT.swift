// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Proves a client with a signature, `private_key_jwt` (RFC 7523 §2.2): the server knows the public key, and no secret travels.
///
///     let service = OAuthTokenService.clientCredentials(
///         server: server, client: .public(id: "billing"),
///         authentication: .privateKeyJWT(try .pem(key, keyID: "2026-11")), transport: URLSession.shared)
///
/// Each request has an assertion of its own, which is good for a minute. Assertions have the form that the revision of the RFC asks
/// for: made for the issuer alone, so that no other server can use one, and of the type `client-authentication+jwt`.
public struct PrivateKeyJWT: ClientAuthenticator, RedactedDescription {
    /// How long an assertion is good for.
    public static let lifetime: Duration = .seconds(60)

    private let signer: any TokenSigner
    private let audience: AssertionAudience
    private let type: String

    /// - Parameters:
    ///   - signer: makes the signatures.
    ///   - audience: for whom assertions are made.
    ///   - type: `typ` in the header of assertions; `JWT` for servers that refuse the one of today.
    public init(
        _ signer: any TokenSigner, audience: AssertionAudience = .issuer, type: String = "client-authentication+jwt"
    ) {
        self.signer = signer
        self.audience = audience
        self.type = type
    }

    /// - Throws: `InvalidTokenRequest` if the audience is not known, and what the signer throws.
    public func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        let issuedAt = Int64(request.date.timeIntervalSince1970)
        let assertion = try await JSONWebToken.signed(
            [
                "iss": .string(request.clientID), "sub": .string(request.clientID),
                "aud": .string(try audience.text(for: request.server, parameter: "client_assertion")),
                "jti": .string(JSONWebToken.makeIdentifier()),
                "iat": .integer(issuedAt), "exp": .integer(issuedAt + Self.lifetime.components.seconds),
            ], type: type, by: signer)
        return ClientProof(parameters: [
            // RFC 7521 §4.2: it may be left out, but many servers look there first.
            (name: "client_id", value: request.clientID),
            (name: "client_assertion_type", value: ClientProof.jwtBearer),
            (name: "client_assertion", value: assertion),
        ])
    }
}

extension ClientAuthenticator where Self == PrivateKeyJWT {
    /// Proves a client with a signature (`private_key_jwt`).
    ///
    /// - Parameters:
    ///   - signer: makes the signatures.
    ///   - audience: for whom assertions are made.
    ///   - type: `typ` in the header of assertions; `JWT` for servers that refuse the one of today.
    public static func privateKeyJWT(
        _ signer: any TokenSigner, audience: AssertionAudience = .issuer,
        type: String = "client-authentication+jwt"
    ) -> PrivateKeyJWT { PrivateKeyJWT(signer, audience: audience, type: type) }
}
