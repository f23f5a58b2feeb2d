// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

@MainActor struct ClosureAuthorizationTests {
    @Test func `a closure returns the value of one field`() async throws {
        let request = try await FakeRequest.make().authorized(using: ClosureAuthorization { "Bearer ABC" })
        #expect(request.fields == ["authorization": "Bearer ABC"])
        let keyed = try await FakeRequest.make().authorized(using: ClosureAuthorization(field: "X-API-Key") { "key" })
        #expect(keyed.fields == ["x-api-key": "key"])
    }

    @Test func `a closure makes fields from the request`() async throws {
        let signed = ClosureAuthorization { request in
            [
                "X-Method": request.requestMethod ?? "", "X-Target": request.targetURI ?? "",
                "X-Host": request.origin?.host ?? "",
            ]
        }
        let request = try await FakeRequest.make().authorized(using: signed)
        #expect(
            request.fields == [
                "x-method": "GET", "x-target": "https://api.example.com/me", "x-host": "api.example.com",
            ])
    }

    @Test func `a closure is asked for every request`() async throws {
        let counter = Counter()
        let provider = ClosureAuthorization { await "v\(counter.next())" }
        for expected in ["v1", "v2", "v3"] {
            let request = try await FakeRequest.make().authorized(using: provider)
            #expect(request.fields["authorization"] == expected)
        }
    }

    @Test func `a closure is not called for a credential that would be readable on the wire`() async {
        let counter = Counter()
        let provider = ClosureAuthorization { await "v\(counter.next())" }
        await #expect(throws: NotAuthorized.self) {
            try await provider.authorize(FakeRequest.make(to: "http://a.example"))
        }
        #expect(counter.count == 0)
    }

    @Test(arguments: [["X": "S3\r\nCRET"], ["X": ""], ["X Y": "S3CRET"], ["": "S3CRET"]])
    func `the value that a closure returns is checked`(fields: [String: String]) async {
        let error = await #expect(throws: NotAuthorized.self) {
            try await FakeRequest.make().authorized(using: ClosureAuthorization { _ in fields })
        }
        #expect(error?.reason == .malformedCredential)
        #expect(error.map { !"\($0)".contains("CRET") } == true)
    }

    @Test func `the error of a closure is thrown unchanged`() async {
        await #expect(throws: Locked.self) {
            try await FakeRequest.make().authorized(using: ClosureAuthorization { throw Locked() })
        }
    }

    @Test func `without a closure for it a 401 is final, and its challenge is in the error`() async {
        let response = UnauthorizedResponse(fields: ["WWW-Authenticate": ["Bearer realm=x"]])
        let error = await #expect(throws: NotAuthorized.self) {
            try await ClosureAuthorization { "v" }.setNeedsRefreshAfterUnauthorizedResponse(
                response, for: FakeRequest.make())
        }
        #expect(error?.reason == .notRefreshable)
        #expect(error?.challenge?.scheme == "Bearer")
    }

    @Test(arguments: [401, 403])
    func `without a closure for it, a wish for another scope needs a sign-in`(status: Int) async throws {
        let response = UnauthorizedResponse(
            statusCode: status,
            fields: ["WWW-Authenticate": ["Basic realm=\"a\"", "Bearer error=\"insufficient_scope\""]])
        let error = await #expect(throws: NotAuthorized.self) {
            try await ClosureAuthorization { "v" }.setNeedsRefreshAfterUnauthorizedResponse(
                response, for: FakeRequest.make())
        }
        #expect(error?.reason == .needsInteraction)
        #expect(error?.challenge?.error == "insufficient_scope")
    }

    @Test func `a closure for a 401 is not called for a 400 that asks for a nonce`() async throws {
        let counter = Counter()
        let provider = ClosureAuthorization(onUnauthorized: { _ in _ = await counter.next() }, value: { "v" })
        let response = UnauthorizedResponse(
            statusCode: 400, fields: ["WWW-Authenticate": ["DPoP error=\"use_dpop_nonce\""], "DPoP-Nonce": ["n1"]])
        let error = await #expect(throws: NotAuthorized.self) {
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: FakeRequest.make())
        }
        #expect(error?.reason == .proofRefused)
        #expect(counter.count == 0)
    }

    @Test func `a closure that has no field before a log-in is asked again after the 401`() async throws {
        let counter = Counter()
        let provider = ClosureAuthorization(
            onUnauthorized: { _ in _ = await counter.next() },
            fields: { _ in await counter.count == 0 ? [:] : ["X-Session": "s"] })
        var answers = [FakeResponse.unauthorized("Bearer"), FakeResponse()]
        var sent: [[String: String]] = []
        let response = try await provider.send(FakeRequest.make()) { request in
            sent.append(request.fields)
            return answers.removeFirst()
        }
        #expect(response == FakeResponse())
        #expect(sent == [[:], ["x-session": "s"]])
        #expect(counter.count == 1)
    }

    @Test func `a closure for a 401 decides whether to retry`() async throws {
        let counter = Counter()
        let provider = ClosureAuthorization(
            onUnauthorized: { response in
                if response.challenges.contains(where: \.requiresInteraction) { throw NotAuthorized(.needsInteraction) }
                _ = await counter.next()
            },
            value: { "Bearer \(await counter.count)" })
        var answers = [FakeResponse.unauthorized("Bearer"), FakeResponse()]
        var sent: [String?] = []
        _ = try await provider.send(FakeRequest.make()) { request in
            sent.append(request.fields["authorization"])
            return answers.removeFirst()
        }
        #expect(sent == ["Bearer 0", "Bearer 1"])

        let refusal = FakeResponse.unauthorized("Bearer error=insufficient_scope")
        #expect(try await provider.send(FakeRequest.make()) { _ in refusal } == refusal)
        #expect(counter.count == 1)
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: FakeRequest.make())
        #expect(counter.count == 2)
    }
}

private struct Locked: Error {}

@MainActor private final class Counter {
    private(set) var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
