// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A request as the services see it, whatever server took it in.
struct Call: Sendable {
    var method = "GET"
    var path: String
    /// Scheme and authority as the client wrote them, for the links in answers.
    var base = "http://127.0.0.1"
    var query: [String: String] = [:]
    var authorization: String?
    /// The fields of a form, empty if there was none.
    var form: [String: String] = [:]

    /// Decodes `application/x-www-form-urlencoded`; of a name that comes twice the first counts.
    static func decodeForm(_ text: String) -> [String: String] {
        text.split(separator: "&").reduce(into: [:]) { form, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decode)
            guard let name = parts[0], form[name] == nil else { return }
            form[name] = parts.count == 2 ? parts[1] : ""
        }
    }

    private static func decode(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
