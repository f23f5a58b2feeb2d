// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// A custom provider that sets a value which no header can hold throws. No request is sent without its credential.
@Suite struct CheckedAuthorizationTests {
    private static let values = ["x\r\nX-Evil: 1", "x\ny", "x\ry", "x\0y"]

    @Test(arguments: values)
    func `a value that a request does not take is an error, and the request stays as it was`(value: String) async {
        let original = PickyRequest(fields: ["authorization": "old"])
        var request = original
        for field in ["Authorization", "X-Key"] {
            await fails { try await request.authorize(using: SettingProvider(field: field, value: value)) }
            #expect(request == original)
            await fails { _ = try await request.authorized(using: SettingProvider(field: field, value: value)) }
        }
    }

    @Test(arguments: values)
    func `a value that a request refuses in the Authorization field is an error too`(value: String) async {
        var request = FakeRequest.make()
        await fails { try await request.authorize(using: SettingProvider(field: "Authorization", value: value)) }
        #expect(request == .make())
    }

    @Test func `a name that a request does not take is an error`() async {
        var request = PickyRequest()
        await fails { try await request.authorize(using: SettingProvider(field: "X: 1\r\nY", value: "v")) }
    }

    @Test func `such a request is not sent`() async {
        let client = ScriptedTransport<PickyRequest, TestResponse>(forever: .success(TestResponse(200)))
        let provider = SettingProvider(field: "X-Key", value: "x\ny")
        await fails { _ = try await provider.send(PickyRequest()) { try await client.send($0) } }
        await fails {
            _ = try await provider.send(PickyRequest(), unauthorized: { $0.unauthorized }) { try await client.send($0) }
        }
        await fails {
            let restricted = provider.restricted(to: "https://api.example.com")
            _ = try await restricted.send(PickyRequest()) { try await client.send($0) }
        }
        await fails {
            let elsewhere = OriginAuthorization([:], elsewhere: .use(provider))
            _ = try await elsewhere.send(PickyRequest()) { try await client.send($0) }
        }
        #expect(client.requests.isEmpty)
    }

    @Test func `an accepted value is sent, by a provider that uses another one too`() async throws {
        let client = ScriptedTransport<PickyRequest, TestResponse>(
            .success(TestResponse(401)), .success(TestResponse(200)))
        let provider = ClosureAuthorization(onUnauthorized: { _ in }) { _ in
            let inner = try await PickyRequest().authorized(using: SettingProvider(field: "X-Inner", value: "i"))
            return ["X-Key": inner.credential(in: "X-Inner") ?? ""]
        }
        let response = try await provider.send(PickyRequest()) { try await client.send($0) }
        #expect(response.statusCode == 200)
        #expect(client.requests.map(\.fields) == [["x-key": "i"], ["x-key": "i"]])
    }

    @Test func `a client that checks the fields itself gets the names of all that were set`() async throws {
        let fields = CredentialFields()
        try await CredentialFields.$current.withValue(fields) {
            _ = try await PickyRequest().authorized(using: SettingProvider(field: "X-Key", value: "v"))
        }
        #expect(fields.names == ["x-key"])
    }

    private func fails(_ body: () async throws -> Void) async {
        await #expect { try await body() } throws: { ($0 as? NotAuthorized)?.reason == .malformedCredential }
    }
}

/// Sets a value unchecked.
private struct SettingProvider: AuthorizationProvider {
    let field: String
    let value: String

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential(value, in: field)
        return request
    }
}

/// Refuses values with a line break, as the requests of the clients do.
private struct PickyRequest: AuthorizableRequest, Equatable {
    var fields: [String: String] = [:]

    var origin: Origin? { "https://api.example.com" }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[field.lowercased()] }
    mutating func setCredential(_ value: String, in field: String) {
        CredentialFields.current?.insert(field)
        let isLine = (field + value).utf8.allSatisfy { $0 >= 0x20 }
        if !isLine { CredentialFields.current?.refuse() }
        fields[field.lowercased()] = isLine ? value : nil
    }
}
