// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A token with its kind.
public struct SecurityToken: Sendable, Hashable, RedactedDescription {
    public let text: String
    public let type: SecurityTokenType

    public init(_ text: String, type: SecurityTokenType) {
        self.text = text
        self.type = type
    }

    /// An access token of an OAuth server.
    public static func accessToken(_ text: String) -> SecurityToken { SecurityToken(text, type: .accessToken) }
    /// An id token of OpenID Connect.
    public static func idToken(_ text: String) -> SecurityToken { SecurityToken(text, type: .idToken) }
    /// Any JWT.
    public static func jwt(_ text: String) -> SecurityToken { SecurityToken(text, type: .jwt) }
}
