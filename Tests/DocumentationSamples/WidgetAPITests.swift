// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@Suite struct WidgetAPITests {
    @Test func `a library sends with any provider`() async throws {
        let server = ScriptedTransport<WidgetRequest, WidgetResponse>(.success(WidgetResponse(statusCode: 200)))
        let client = WidgetClient { try await server.send($0) }
        // sample: library-use
        let widgets = WidgetAPI(client: client, authorization: .bearer("ABC"))
        let response = try await widgets.widget(1)
        // end sample
        #expect(response.statusCode == 200)
        #expect(server.requests.map { $0.credential(in: "Authorization") } == ["Bearer ABC"])
    }

    // sample: request-checks
    @Test func `it is a request`() async throws {
        try await AuthorizableRequestChecks(method: nil, target: nil) {
            WidgetRequest(host: "api.widgets.example", path: "/v1/widgets/1")
        }.run()
    }
    // end sample

    @Test func `its credential goes to no other origin`() async throws {
        let client = WidgetClient { _ in WidgetResponse(statusCode: 200) }
        let widgets = WidgetAPI(client: client, authorization: .bearer("ABC"))
        await #expect(throws: NotAuthorized.self) {
            try await widgets.authorization.authorize(WidgetRequest(host: "elsewhere.example", path: "/"))
        }
    }
}
