// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A request for the resource of the server. This is all that the library needs to support a client.
struct UseRequest: AuthorizableRequest {
    /// The number of the request in its process. All tries of a request have the same number.
    let number: Int
    private(set) var authorization: String?

    init(number: Int) { self.number = number }

    var origin: Origin? { Origin(scheme: "http", host: "127.0.0.1", port: nil) }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { authorization }
    mutating func setCredential(_ value: String, in field: String) { authorization = value }
}
