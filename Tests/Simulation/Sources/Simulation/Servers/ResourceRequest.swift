// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A request to a resource server.
struct ResourceRequest: AuthorizableRequest {
    struct NoAnswer: Error {}

    /// The number of the request. Each try has it.
    let number: Int
    let host: String
    /// Where the server sends the caller next.
    var redirect: String?
    var field: String?

    /// The hosts that the credential may go to.
    static let hosts: Set = ["api.example", "files.example"]
    static let foreignHost = "elsewhere.example"

    var origin: Origin? { Origin(host: host) }
    var isReplayable: Bool { true }

    func credential(in name: String) -> String? { name.lowercased() == "authorization" ? field : nil }

    mutating func setCredential(_ value: String, in name: String) {
        if name.lowercased() == "authorization" { field = value }
    }
}

struct ResourceResponse: AuthorizableResponse, Sendable {
    let statusCode: Int
    var location: String?

    func headerValues(for field: String) -> [String] {
        statusCode == 401 && field.lowercased() == "www-authenticate" ? [#"Bearer error="invalid_token""#] : []
    }
}
