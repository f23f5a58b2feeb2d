// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationTesting

/// Sends nothing.
struct NoTransport: TokenTransport {
    func send(_ request: TokenRequest) async throws -> TokenResponse {
        throw TokenTransportError(.unreachable, delivery: .notSent)
    }
}

extension TokenRequest {
    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(field: String) -> String? {
        fields.first { $0.name.lowercased() == field.lowercased() }?.value
    }

    /// The form, each name once.
    var form: [String: String] {
        text.split(separator: "&").reduce(into: [:]) { form, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0).replacing("+", with: " ").removingPercentEncoding ?? "?" }
            form[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
    }
}

extension URL {
    /// The query, decoded, each name once.
    var parameters: [String: String] {
        (URLComponents(url: self, resolvingAgainstBaseURL: false)?.percentEncodedQuery ?? "").split(separator: "&")
            .reduce(into: [:]) { form, pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { String($0).replacing("+", with: " ").removingPercentEncoding ?? "?" }
                form[parts[0]] = parts.count == 2 ? parts[1] : ""
            }
    }

    init(make text: String) {
        guard let url = URL(string: text) else { preconditionFailure(text) }
        self = url
    }
}

extension PendingSignIn {
    /// The callback that Spotify would send.
    func callback(_ rest: String = "code=c", state: String? = nil) -> URL {
        URL(make: "\(redirectURI)?\(rest)&state=\(state ?? self.state)")
    }
}

/// Spotify's answer to a sign-in.
let signedIn = """
    {"access_token":"BQ-access","token_type":"Bearer","scope":"user-read-email streaming","expires_in":3600,
     "refresh_token":"AQ-refresh"}
    """
