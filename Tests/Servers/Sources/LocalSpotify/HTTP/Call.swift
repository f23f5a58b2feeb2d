// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A request to the services, independent of the HTTP server.
struct Call: Sendable {
    var method = "GET"
    var path: String
    /// The scheme and authority that the client used: the issuer, and the start of the links in answers.
    var base = "http://127.0.0.1"
    var query = Parameters()
    var authorization: String?
    /// The fields of the form, or empty.
    var form = Parameters()
    /// The body if it is not a form.
    var body = Data()
    var cookies: [String: String] = [:]
    /// `Origin` and `Sec-Fetch-Site`, which a browser sends with a form.
    var origin: String?
    var fetchSite: String?

    /// Whether the `Host` is a name of this machine that another site cannot take (protection against DNS rebinding).
    var isAddressedToLoopback: Bool {
        guard let url = URL(string: base), let host = url.host() else { return false }
        return ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    }

    /// Reads `Cookie` (RFC 6265 §4.2). If a name is repeated, the first value counts.
    static func cookies(in field: String) -> [String: String] {
        field.split(separator: ";").reduce(into: [:]) { cookies, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, cookies[parts[0]] == nil else { return }
            cookies[parts[0]] = parts[1]
        }
    }
}
