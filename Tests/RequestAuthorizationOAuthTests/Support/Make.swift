// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting

extension AuthorizationServer {
    /// A server with all endpoints below one address.
    static func make(at base: String = "https://as.example", quirks: ServerQuirks = ServerQuirks()) -> Self {
        AuthorizationServer(
            issuer: base, authorizationEndpoint: URL(string: "\(base)/authorize"),
            tokenEndpoint: URL(string: "\(base)/token"),
            deviceAuthorizationEndpoint: URL(string: "\(base)/device"),
            revocationEndpoint: URL(string: "\(base)/revoke"),
            introspectionEndpoint: URL(string: "\(base)/introspect"), quirks: quirks)
    }
}

extension OAuthToken {
    static func make(
        accessToken: String = "a", refreshToken: String? = nil, scopes: Set<String> = [], authorizedAt: Date? = nil
    ) -> Self {
        OAuthToken(
            accessToken: accessToken, refreshToken: refreshToken, scopes: scopes, authorizedAt: authorizedAt)
    }
}

extension TokenRequest {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a header field, joined.
    subscript(field: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == field.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: " AND ")
    }
}
