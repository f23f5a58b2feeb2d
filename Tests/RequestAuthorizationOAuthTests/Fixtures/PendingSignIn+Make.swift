// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth

extension PendingSignIn {
    static func make(
        state: String = "xyz", codeVerifier: String = "verifier", redirectURI: String = "https://client.example.com/cb",
        clientID: String = "s6BhdRkqt3", issuer: String? = nil, announcesIssuer: Bool = false,
        tokenEndpoint: URL? = URL(string: "https://server.example.com/token"), scopes: Set<String> = ["read"],
        createdAt: Date = Date(timeIntervalSince1970: 1_800_000_000), url: URL = URL(filePath: "/authorize")
    ) -> PendingSignIn {
        PendingSignIn(
            state: state, codeVerifier: codeVerifier, redirectURI: redirectURI, clientID: clientID, issuer: issuer,
            announcesIssuer: announcesIssuer, tokenEndpoint: tokenEndpoint, scopes: scopes, createdAt: createdAt,
            url: url)
    }
}

extension URL {
    /// A URL written into a test.
    static func make(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }
}
