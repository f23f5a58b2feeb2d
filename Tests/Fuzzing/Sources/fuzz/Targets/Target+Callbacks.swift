// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorizationOAuth

extension Target {
    private static let queryShapes = [
        "https://app.example/cb?state=s&code=c", "&", "a=b&", "%", "%41", "?", "#", "state=s&", "=", "+", "code=",
        "http://127.0.0.1:1/",
        "/../", "com.example.app:/cb?",
    ]

    private static let pending = URL(string: "https://id.example/authorize").map { page in
        PendingSignIn(
            state: "s", codeVerifier: "v", redirectURI: "https://app.example/cb?own=1", clientID: "c",
            issuer: "https://id.example",
            announcesIssuer: true, tokenEndpoint: URL(string: "https://id.example/token"), scopes: [],
            createdAt: Date(timeIntervalSince1970: 0), url: page)
    }

    /// A callback: one that is accepted has the redirect URI, the state and the issuer.
    static let callbacks = Target("callbacks", shapes: queryShapes) { input in
        guard let url = URL(string: input.text), let pending, let parameters = pending.parameters(of: url) else {
            return
        }
        claim(url.host()?.lowercased() == "app.example" && url.scheme?.lowercased() == "https", "another host")
        guard let code = try? pending.code(in: parameters) else { return }
        claim(!code.isEmpty && parameters["iss"] == .text("https://id.example"), "another issuer")
    }

    /// A redirect URI: one that is accepted accepts itself with a code.
    static let redirectURIs = Target("redirect-uris", shapes: queryShapes) { input in
        guard let uri = try? RedirectURI(input.text) else { return }
        claim(!["javascript", "file", "data"].contains(uri.scheme), "an unsafe scheme")
        let mark = uri.text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let pairs = uri.parameters(of: uri.text + mark + "code=c")
        claim(pairs?["code"] == .text("c"), "its own callback is foreign")
    }
}
