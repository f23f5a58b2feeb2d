// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The kind of a token (RFC 8693 §3).
public struct SecurityTokenType: Sendable, Hashable, CustomStringConvertible {
    /// The URI of the kind.
    public let uri: String
    public var description: String { uri }

    public init(uri: String) { self.uri = uri }

    private init(_ name: String) { uri = "urn:ietf:params:oauth:token-type:\(name)" }

    public static let accessToken = SecurityTokenType("access_token")
    public static let refreshToken = SecurityTokenType("refresh_token")
    public static let idToken = SecurityTokenType("id_token")
    public static let saml1 = SecurityTokenType("saml1")
    public static let saml2 = SecurityTokenType("saml2")
    /// Any JWT.
    public static let jwt = SecurityTokenType("jwt")
}
