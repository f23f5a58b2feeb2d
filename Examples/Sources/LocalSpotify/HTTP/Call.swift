// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A request as the services see it, whatever server took it in.
struct Call: Sendable {
    var method = "GET"
    var path: String
    /// Scheme and authority as the client wrote them: the issuer, and the start of the links in answers.
    var base = "http://127.0.0.1"
    var query = Parameters()
    var authorization: String?
    /// The fields of a form, empty if there was none.
    var form = Parameters()
    /// What a body holds that is no form.
    var body = Data()
    var cookies: [String: String] = [:]
    /// `Origin` and `Sec-Fetch-Site`, which a browser sends with a form.
    var origin: String?
    var fetchSite: String?

    /// Whether the call was addressed to this machine by a name that no other web site can take (DNS rebinding).
    var isAddressedToLoopback: Bool {
        guard let url = URL(string: base), let host = url.host() else { return false }
        return ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    }

    /// Reads `Cookie` (RFC 6265 §4.2); of a name that comes twice the first counts.
    static func cookies(in field: String) -> [String: String] {
        field.split(separator: ";").reduce(into: [:]) { cookies, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, cookies[parts[0]] == nil else { return }
            cookies[parts[0]] = parts[1]
        }
    }
}
