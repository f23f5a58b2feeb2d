// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The redirect that ends the authorization.
struct Callback: Hashable, Sendable {
    let redirectURI: String
    private let parameters: [[String]]

    init(redirectURI: String, parameters: [(String, String)], state: String?) {
        self.redirectURI = redirectURI
        self.parameters = parameters.map { [$0, $1] } + (state.map { [["state", $0]] } ?? [])
    }

    /// - Parameter issuer: `iss` (RFC 9207), which error responses contain too.
    func address(issuer: String) -> String {
        let query = (parameters + [["iss", issuer]]).map { "\($0[0])=\(Self.escape($0[1]))" }.joined(separator: "&")
        // RFC 6749 §3.1.2: the query of the registered URI is kept.
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + query
    }

    /// Escapes all characters except the unreserved ones (RFC 3986 §2.3).
    private static func escape(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
