// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A request for the resource behind the server: all that a client needs to teach the library.
struct UseRequest: AuthorizableRequest {
    /// Counts the requests of a process: each try of the same one has the same number.
    let number: Int
    private(set) var authorization: String?

    init(number: Int) { self.number = number }

    var origin: Origin? { Origin(scheme: "http", host: "127.0.0.1", port: nil) }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { authorization }
    mutating func setCredential(_ value: String, in field: String) { authorization = value }
}
