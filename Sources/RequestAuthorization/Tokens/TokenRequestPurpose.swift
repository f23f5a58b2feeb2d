// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What an authorization server was asked for, and so which of its endpoints answered.
///
/// Its description is a short label without secrets, for metrics.
public struct TokenRequestPurpose: Hashable, Sendable, Labelled {
    @usableFromInline package let label: String
    /// The endpoint in words, for instance "the token endpoint".
    package let endpoint: String

    /// A token, for a log-in or a grant of the program's own.
    public static let token = TokenRequestPurpose("token")
    /// A new token for a refresh token (RFC 6749 §6). There is a session.
    public static let refresh = TokenRequestPurpose("refresh")
    /// A token for the code of a sign-in (RFC 6749 §4.1.3).
    public static let code = TokenRequestPurpose("code")
    /// A token for a sign-in on another device (RFC 8628 §3.4).
    public static let deviceCode = TokenRequestPurpose("device code")
    /// An assertion of an identity provider, for another server.
    public static let identityAssertion = TokenRequestPurpose(
        "identity assertion", "the identity provider's token endpoint")
    /// The beginning of a sign-in on another device (RFC 8628 §3.1).
    public static let deviceAuthorization = TokenRequestPurpose(
        "device authorization", "the device authorization endpoint")
    /// The beginning of a sign-in whose request is pushed (RFC 9126).
    public static let pushedRequest = TokenRequestPurpose(
        "pushed request", "the pushed authorization request endpoint")
    /// The revocation of a token (RFC 7009).
    public static let revocation = TokenRequestPurpose("revocation", "the revocation endpoint")
    /// The introspection of a token (RFC 7662).
    public static let introspection = TokenRequestPurpose("introspection", "the introspection endpoint")

    private init(_ label: String, _ endpoint: String = "the token endpoint") {
        (self.label, self.endpoint) = (label, endpoint)
    }
}
