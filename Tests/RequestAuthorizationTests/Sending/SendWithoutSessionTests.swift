// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Requests that go out without a credential, because nobody has signed in yet.
@Suite struct SendWithoutSessionTests {
    /// Says what an answer means, for requests without a field.
    private struct Stranger: AuthorizationProvider, CredentialReceipt {
        let verdict: @Sendable () throws -> Verdict
        var token = Lock<String?>(nil)

        func credential(for request: some AuthorizableRequest) async throws -> Credential {
            guard let token = token.withLock({ $0 }) else { return .withoutFields(receipt: self) }
            return try .bearer(token)
        }

        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
            token.withLock { $0 = "new" }
            return try verdict()
        }
    }

    private func send(_ provider: Stranger, isReplayable: Bool = true) async throws -> [String?] {
        let sent = Lock<[String?]>([])
        _ = try await provider.send(TestRequest(), isReplayable: isReplayable) { request in
            let field = request.credential(in: "Authorization")
            sent.withLock { $0.append(field) }
            return UnauthorizedResponse(statusCode: field == nil ? 401 : 200)
        }
        return sent.withLock { $0 }
    }

    @Test func `the receipt of a credential without fields judges the answer`() async throws {
        #expect(try await send(Stranger { .newProof }) == [nil, "Bearer new"])
        #expect(try await send(Stranger { .accept }) == [nil])
    }

    @Test func `a field that is added goes out, and the receipt still judges the answer`() async throws {
        let bare = Credential.withoutFields(receipt: Stranger { .newProof })
        let refusal = UnauthorizedResponse()
        for credential in [
            try bare.adding("tenant", in: "X-Tenant"), try Credential("tenant", in: "X-Tenant").adding(bare),
        ] {
            #expect(credential.fields.map(\.value) == ["tenant"])
            #expect(try await credential.judge(refusal) == .newProof)
        }
        #expect(bare.adding(bare).fields.isEmpty)
        #expect(try await bare.adding(bare).judge(refusal) == .newProof)
    }

    @Test func `that nobody has signed in reaches the caller`() async throws {
        let error = await #expect(throws: NotAuthorized.self) {
            _ = try await send(Stranger { throw NotAuthorized(.noToken) })
        }
        #expect(error?.reason == .noToken && error?.needsSignIn == true)
    }

    @Test func `a need for interaction does not, and neither does a body that cannot be sent again`() async throws {
        #expect(try await send(Stranger { throw NotAuthorized(.needsInteraction) }) == [nil])
        #expect(try await send(Stranger { throw NotAuthorized(.noToken) }, isReplayable: false) == [nil])
    }

    @Test func `a credential without fields puts nothing on a request, and adds no field to another`() throws {
        let bare = Credential.withoutFields(receipt: Stranger { .accept })
        var request = TestRequest("http://api.example.com/")
        try request.set(bare)
        #expect(request == TestRequest("http://api.example.com/"))
        #expect(bare.fields.isEmpty && "\(bare)" == "Credential()")
        let token = try Credential.bearer("t")
        #expect(token.adding(bare).fields.map(\.value) == ["Bearer t"])
        #expect(bare.adding(token).fields.map(\.value) == ["Bearer t"])
        #expect(bare.replacingReceipt(by: Stranger { .accept }).fields.isEmpty)
        #expect(token.replacingReceipt(by: Stranger { .accept }).fields.map(\.value) == ["Bearer t"])
    }
}
