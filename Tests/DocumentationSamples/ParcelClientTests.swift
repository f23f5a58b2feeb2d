// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@Suite struct ParcelClientTests {
    // sample: client-checks
    @Test func `a client of somebody else authorizes`() async throws {
        try await ClientChecks(followsRedirects: true) { request, provider, server in
            let client = ParcelClient { try await ParcelAnswer(server(TestRequest($0))) }
            let answer = try await client.run(Parcel(request), authorizedBy: provider)
            return TestResponse(answer.code)
        }.run()
    }
    // end sample

    @Test func `a parcel that began without a session is not sent a third time as who signs in meanwhile`()
        async throws
    {
        let persons = Persons()
        let sent = Lock<[String]>([])
        let client = ParcelClient { parcel in
            let person = parcel.headers["x-person"] ?? "nobody"
            sent.withLock { $0.append(person) }
            persons.present.withLock { $0 = person == "nobody" ? "a" : "b" }
            return ParcelAnswer(code: 401)
        }
        let parcel = Parcel(address: try #require(URL(string: "https://api.example.com/v1")))
        let error = await #expect(throws: NotAuthorized.self) {
            try await client.run(parcel, authorizedBy: persons, refreshCount: 2)
        }
        #expect(error?.reason == .sessionReplaced)
        #expect(sent.withLock { $0 } == ["nobody", "a"])
    }

    @Test func `it is a request`() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1#part"))
        try await AuthorizableRequestChecks(method: "GET", target: "https://api.example.com/v1", body: nil) {
            Parcel(address: url)
        }.run()
    }
}

/// Names who is signed in. Before that, a request goes out as it is, and is bound to nobody.
private struct Persons: AuthorizationProvider {
    let present = Lock<String?>(nil)

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let person = present.withLock { $0 }
        return try Credential(person.map { ["X-Person": $0] } ?? [:], receipt: Receipt(person: person))
    }

    private struct Receipt: CredentialReceipt {
        let person: String?

        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict { .anew }

        func admit(_ next: Credential) throws {
            guard person == nil || next.fields.first?.value == person else { throw NotAuthorized(.sessionReplaced) }
        }
    }
}

extension Parcel {
    fileprivate init(_ request: TestRequest) throws {
        self.init(verb: request.method, address: try #require(URL(string: request.url)))
        for name in request.fieldNames { headers[name] = request[name] }
        let bytes = request.body ?? []
        body = request.isReplayable ? .bytes(bytes) : .stream(AsyncStream { $0.yield(bytes) })
    }
}

extension TestRequest {
    fileprivate init(_ parcel: Parcel) {
        let bytes: [UInt8]? = if case .bytes(let bytes)? = parcel.body { bytes } else { [] }
        self.init(parcel.address.absoluteString, method: parcel.verb, fields: parcel.headers, body: bytes)
    }
}

extension ParcelAnswer {
    fileprivate init(_ response: TestResponse) {
        let names = ["Location", "WWW-Authenticate", "X-Proof-Error"]
        self.init(
            code: response.statusCode,
            headers: names.flatMap { name in response.headerValues(for: name).map { (name, $0) } })
    }
}
