// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// sample: library
import RequestAuthorization

struct WidgetAPI {
    let client: WidgetClient
    let authorization: any AuthorizationProvider

    init(client: WidgetClient, authorization: any AuthorizationProvider) {
        self.client = client
        self.authorization = authorization.restricted(to: "https://api.widgets.example")
    }

    func widget(_ id: Int) async throws -> WidgetResponse {
        let request = WidgetRequest(host: "api.widgets.example", path: "/v1/widgets/\(id)")
        return try await authorization.send(request) { try await client.send($0) }
    }
}

extension WidgetRequest: AuthorizableRequest {
    var origin: Origin? { Origin(host: host) }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[field] }
    mutating func setCredential(_ value: String, in field: String) { fields[field] = value }
}
// end sample

// sample: response
extension WidgetResponse: AuthorizableResponse {
    func headerValues(for field: String) -> [String] { fields[field] }
}
// end sample
