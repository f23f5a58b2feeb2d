// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authenticates a client with a signature, `private_key_jwt` (RFC 7523 §2.2).
///
/// The server knows the public key, and no secret is sent.
///
///     let service = OAuthTokenService.clientCredentials(
///         server: server, client: .public(id: "billing"),
///         authentication: .privateKeyJWT(try .pem(key, keyID: "2026-11")), transport: URLSession.shared)
///
/// Each request has its own assertion, which is valid for a minute. Its type is `client-authentication+jwt`, and
/// its audience the issuer only, as the revision of the RFC requires. So no other server can use it.
public struct PrivateKeyJWT: ClientAuthenticator, RedactedDescription {
    /// How long an assertion is valid.
    package static let lifetime: Duration = .seconds(60)

    private let signer: any TokenSigner
    private let audience: AssertionAudience
    private let type: String

    package init(
        _ signer: any TokenSigner, audience: AssertionAudience = .issuer, type: String = "client-authentication+jwt"
    ) { (self.signer, self.audience, self.type) = (signer, audience, type) }

    /// Makes an assertion for one request.
    ///
    /// - Throws: `InvalidTokenRequest` if the audience is not known, and the signer's errors.
    public func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        let issuedAt = request.date.wholeSeconds
        let assertion = try await JSONWebToken.signed(
            [
                "iss": .string(request.clientID), "sub": .string(request.clientID),
                "aud": .string(try audience.text(for: request.server, parameter: "client_assertion")),
                "jti": .string(JSONWebToken.makeIdentifier()),
                "iat": .integer(issuedAt), "exp": .integer(issuedAt + Self.lifetime.components.seconds),
            ], type: type, by: signer)
        return ClientProof(parameters: [
            // RFC 7521 §4.2: optional, but many servers look for it first.
            (name: "client_id", value: request.clientID),
            (name: "client_assertion_type", value: ClientProof.jwtBearer),
            (name: "client_assertion", value: assertion),
        ])
    }
}

extension ClientAuthenticator where Self == PrivateKeyJWT {
    /// Authenticates a client with a signature (`private_key_jwt`); see ``PrivateKeyJWT``.
    ///
    /// - Parameters:
    ///   - signer: signs the assertions.
    ///   - audience: whom they name as their reader.
    ///   - type: the `typ` in their header; pass `JWT` for servers that refuse the default.
    public static func privateKeyJWT(
        _ signer: any TokenSigner, audience: AssertionAudience = .issuer, type: String = "client-authentication+jwt"
    ) -> PrivateKeyJWT { PrivateKeyJWT(signer, audience: audience, type: type) }
}

/// The recipient that an assertion names (RFC 7523 §3). Other servers must reject the assertion.
public enum AssertionAudience: Sendable, Hashable {
    /// The server's issuer, which must be known.
    case issuer
    /// The token endpoint, for servers that follow RFC 7523 of 2015 and accept nothing else.
    case tokenEndpoint
    /// The value that a server's documentation requires.
    case text(String)

    /// The value of `aud`.
    ///
    /// - Throws: `InvalidTokenRequest` for the parameter if the server's value is not known.
    func text(for server: AuthorizationServer, parameter: String) throws(InvalidTokenRequest) -> String {
        let (audience, advice) =
            switch self {
            case .issuer: (server.issuer, "issuer, which is not known: name it, or discover the server")
            case .tokenEndpoint:
                (server.tokenEndpoint?.absoluteString, "token endpoint, which is not known: name it")
            case .text(let text): (text, "")
            }
        guard let audience else {
            throw InvalidTokenRequest(parameter: parameter, detail: "needs the server's \(advice)")
        }
        return audience
    }
}
