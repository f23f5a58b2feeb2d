// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A program that needs the core and nothing else. `.ci/check-consumers` copies it out of the checkout and looks at what it
// fetches and links.

import RequestAuthorization

struct WidgetRequest: AuthorizableRequest {
    var host: String
    var fields: [String: String] = [:]

    var origin: Origin? { Origin(host: host) }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[field] }
    mutating func setCredential(_ value: String, in field: String) { fields[field] = value }
}

struct KeyAuthorization: AuthorizationProvider {
    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential("Key 1", in: "Authorization")
        return request
    }
}

let request = try await KeyAuthorization().authorize(WidgetRequest(host: "example.com"))
print(request.credential(in: "Authorization") ?? "nothing")
