// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A request of no particular client, with the four members that the documentation asks for.
struct FakeRequest: AuthorizableRequest, Equatable {
    var origin: Origin? = "https://api.example.com"
    var isReplayable = true
    var fields: [String: String] = [:]
    var requestMethod: String? = "GET"
    var targetURI: String? = "https://api.example.com/me"
    var bodyBytes: [UInt8]?

    static func make(to origin: Origin? = "https://api.example.com", isReplayable: Bool = true) -> FakeRequest {
        FakeRequest(origin: origin, isReplayable: isReplayable)
    }

    func credential(in field: String) -> String? { fields[field.lowercased()] }
    mutating func setCredential(_ value: String, in field: String) { fields[field.lowercased()] = value }
}
