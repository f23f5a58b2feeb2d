// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth

@testable import RequestAuthorizationOAuth

/// ID tokens that nobody has signed.
enum IDToken {
    /// Good claims of the test's server for the client `app`, at the time of a new `ManualClock`.
    static func claims(nonce: String?, at now: Date) -> [String: JSONValue] {
        let seconds = Int64(now.timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": .string("https://as.example"), "sub": .string("alice"), "aud": .string("app"),
            "exp": .integer(seconds + 600), "iat": .integer(seconds), "email": .string("alice@as.example"),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return claims
    }

    static func text(_ claims: [String: JSONValue]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return text(String(decoding: (try? encoder.encode(claims)) ?? Data(), as: UTF8.self))
    }

    static func text(_ claims: String, header: String = #"{"alg":"RS256"}"#) -> String {
        "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8)).c2ln"
    }

    /// The answer of a token endpoint.
    static func answer(_ token: String?, refreshToken: String = "r1") -> String {
        let member = token.map { #","id_token":"\#($0)""# } ?? ""
        let common = #""access_token":"a","token_type":"Bearer","expires_in":60"#
        return #"{\#(common),"refresh_token":"\#(refreshToken)"\#(member)}"#
    }
}
