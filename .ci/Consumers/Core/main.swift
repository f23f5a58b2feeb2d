// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A program that needs only the core. `.ci/check-consumers` copies it out of the checkout and checks what it fetches and
// links.
// prints: Bearer old
// prints: Bearer new
// prints: 200

import RequestAuthorization

struct WidgetRequest: AuthorizableRequest {
    var host: String
    var fields: [String: String] = [:]

    var origin: Origin? { Origin(host: host) }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[field] }
    mutating func setCredential(_ value: String, in field: String) { fields[field] = value }
}

struct WidgetResponse: AuthorizableResponse {
    let statusCode: Int
    func headerValues(for field: String) -> [String] { [] }
}

struct WidgetToken: AuthorizationToken {
    let value: String
    var authorizationHeaderValue: String { "Bearer \(value)" }
}

struct WidgetTokenService: RefreshableTokenService {
    func refresh(_ token: WidgetToken) async throws -> WidgetToken { WidgetToken(value: "new") }
}

let auth = RefreshableTokenAuthorization(service: WidgetTokenService(), token: WidgetToken(value: "old"))
let response = try await auth.send(WidgetRequest(host: "api.example.com")) { request in
    let credential = request.credential(in: "Authorization")
    print(credential ?? "nothing")
    return WidgetResponse(statusCode: credential == "Bearer new" ? 200 : 401)
}
print(response.statusCode)
