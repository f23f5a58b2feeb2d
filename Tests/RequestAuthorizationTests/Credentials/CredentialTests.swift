// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// A credential is a value: checked fields, and what their maker knows of them.
@Suite struct CredentialTests {
    private static let refusal = FakeResponse.unauthorized("Bearer error=\"invalid_token\"")

    @Test func `it sets its fields, and replaces those of the request`() throws {
        var request = FakeRequest(fields: ["authorization": "old", "x-other": "stays"])
        try request.set(Credential(["Authorization": "new", "X-Key": "k e\ty"]))
        #expect(request.fields == ["authorization": "new", "x-key": "k e\ty", "x-other": "stays"])
        try request.set(.none)
        #expect(request.fields["authorization"] == "new")
        #expect(try Credential([:]).fields.isEmpty)
        #expect(try Credential.bearer("ABC").fields.map { "\($0.name): \($0.value)" } == ["Authorization: Bearer ABC"])
    }

    @Test(arguments: [
        ("Authorization", "x\r\nX-Evil: 1"), ("Authorization", "x\0"), ("X-Key", ""), ("X-Key", " x"), ("X-Key", "é"),
        ("X: 1\r\nY", "v"), ("", "v"),
    ])
    func `fields that no header can hold are refused when it is made, and not shown`(field: String, value: String)
        throws
    {
        let makers: [() throws -> Credential] = [
            { try Credential(value, in: field) }, { try Credential([field: value]) },
            { try Credential.bearer("ABC").adding(value, in: field) },
        ]
        for make in makers {
            let error = #expect(throws: NotAuthorized.self) { try make() }
            #expect(error?.reason == .malformedCredential)
            #expect(error?.description.contains("Evil") == false)
        }
        #expect(throws: NotAuthorized.self) { try Credential.bearer("x y") }
    }

    @Test func `two fields whose names differ in case only are refused`() throws {
        let fields = ["X-Key": "a", "x-key": "b", "X-Other": "c"]
        let error = #expect(throws: NotAuthorized.self) { try Credential(fields) }
        #expect(error?.reason == .malformedCredential && error?.detail?.contains("differ in the case") == true)
        #expect(try Credential(["X-Key": "a", "X-Keys": "a"]).fields.count == 2)
    }

    @Test func `plain http is refused, whoever made it`() throws {
        var request = FakeRequest.make(to: "http://api.example.com")
        let error = #expect(throws: NotAuthorized.self) { try request.set(Credential("x")) }
        #expect(error?.reason == .insecureTransport && request.fields.isEmpty)
        try request.set(.none)
        var local = FakeRequest.make(to: "http://127.0.0.1:80")
        try local.set(Credential("x"))
        #expect(local.fields == ["authorization": "x"])
    }

    @Test func `plain http that was allowed for one secret is not allowed for another`() async throws {
        let origin: Origin = "http://ledger.internal"
        let allowed = BearerTokenAuthorization(token: "a").restricted(
            to: origin, allowingPlaintext: true, elsewhere: .passThrough)
        let request = FakeRequest.make(to: origin)
        let mine = try await allowed.credential(for: request)
        let (key, other) = (try Credential("k", in: "X-Key"), try await allowed.credential(for: FakeRequest.make()))
        for both in [mine.adding(key), key.adding(mine)] {
            var copy = request
            let error = #expect(throws: NotAuthorized.self) { try copy.set(both) }
            #expect(error?.reason == .insecureTransport && copy.fields.isEmpty)
        }
        // What has no field needs no permission, and a field of the same maker has it.
        for one in [Credential.none.adding(mine), mine.adding(Credential.none), other.adding(mine), mine.adding(other)]
        {
            var copy = request
            try copy.set(one)
            #expect(copy.fields == ["authorization": "Bearer a"])
        }
        var copy = request
        try copy.set(mine.adding("t", in: "X-Tenant"))
        #expect(copy.fields == ["authorization": "Bearer a", "x-tenant": "t"])
    }

    @Test func `plain http that was allowed to a provider without a field is not allowed for another`() async throws {
        let origin: Origin = "http://ledger.internal"
        let silent = ClosureAuthorization(fields: { _ in [:] }).restricted(to: origin, allowingPlaintext: true)
        var request = FakeRequest.make(to: origin)
        let credential = try await silent.credential(for: request)
        try request.set(credential)
        let error = #expect(throws: NotAuthorized.self) { try request.set(credential.adding("k", in: "X-Key")) }
        #expect(error?.reason == .insecureTransport && request.fields.isEmpty)
    }

    @Test func `of two makers both see an answer, also if one says that a sign-in is needed`() async throws {
        let log = Lock(0)
        let over = try Credential.bearer("a") { _ in throw NotAuthorized(.signedOut) }
        let other = try Credential.bearer("b") { _ in
            log.withLock { $0 += 1 }
            return .accept
        }
        for both in [over.adding(other), other.adding(over)] {
            let error = await #expect(throws: NotAuthorized.self) { try await both.judge(Self.refusal) }
            #expect(error?.reason == .signedOut)
        }
        #expect(log.withLock { $0 } == 2)
    }

    @Test func `adding keeps what both makers know, and the later field`() async throws {
        let log = Lock<[String]>([])
        let note = { @Sendable (name: String, verdict: Verdict) in
            try Credential.bearer(name) { _ in
                log.withLock { $0.append(name) }
                return verdict
            }
        }
        let both = try note("a", .accept).adding(note("b", .anew)).adding("t", in: "X-Tenant")
        #expect(both.fields.map { "\($0.name): \($0.value)" } == ["Authorization: Bearer b", "X-Tenant: t"])
        #expect(try await both.judge(Self.refusal) == .anew)
        #expect(log.withLock { $0 } == ["a", "b"])
        let signed = try Credential("s", in: "X-Signature", isForOneRequest: true)
        #expect(signed.adding(both).isForOneRequest && both.adding(signed).isForOneRequest && !both.isForOneRequest)
        #expect(try await Credential.none.adding(both).judge(Self.refusal) == .anew)
        #expect(both.adding(.none).fields.count == 2)
    }

    @Test func `without a field it still has its receipt, is for one request, and allows nothing`() async throws {
        let bare = try Credential([:], isForOneRequest: true, receipt: AlwaysAnew())
        for credential in [bare, bare.adding(bare), bare.replacingReceipt(by: AlwaysAnew())] {
            #expect(credential.fields.isEmpty && credential.isForOneRequest)
            #expect(try await credential.judge(Self.refusal) == .anew)
            var request = FakeRequest.make(to: "http://api.example.com")
            try request.set(credential)
            let error = #expect(throws: NotAuthorized.self) { try request.set(credential.adding("k", in: "X-Key")) }
            #expect(error?.reason == .insecureTransport && request.fields.isEmpty)
        }
        #expect(try Credential([:], isForOneRequest: true).isForOneRequest)
        #expect(try await Credential([:], receipt: AlwaysAnew()).judge(Self.refusal) == .anew)
    }

    @Test(arguments: [200, 400, 403, 404, 407, 500])
    func `only a refusal is judged`(status: Int) async throws {
        let credential = try Credential.bearer("a") { _ in .anew }
        #expect(try await credential.judge(FakeResponse(statusCode: status)) == .accept)
        #expect(try await credential.judge(Self.refusal) == .anew)
        let scope = FakeResponse(
            statusCode: 403, fields: ["www-authenticate": ["Bearer error=\"insufficient_scope\""]])
        #expect(try await credential.judge(scope) == .anew)
        #expect(try await Credential("constant").judge(Self.refusal) == .accept)
    }

    /// Wants every answer, and accepts all.
    private struct AcceptingEvery: CredentialReceipt {
        var wantsEveryAnswer: Bool { true }
        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict { .accept }
    }

    /// Wants refusals only, and looks at no answer itself.
    private struct AlwaysAnew: CredentialReceipt {
        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict { .anew }
    }

    @Test(arguments: [200, 302, 400, 403, 500])
    func `of two makers one that wants refusals only sees nothing else`(status: Int) async throws {
        let proven = try Credential("p", in: "X-Proof", receipt: AcceptingEvery())
        let signed = try Credential("s", in: "X-Signature", receipt: AlwaysAnew())
        for both in [proven.adding(signed), signed.adding(proven)] {
            #expect(both.wantsEveryAnswer)
            #expect(try await both.judge(FakeResponse(statusCode: status)) == .accept)
            #expect(try await both.judge(Self.refusal) == .anew)
        }
    }

    @Test func `an error of its judgement is thrown only if a sign-in is needed or it is none of ours`() async throws {
        struct Offline: Error {}
        #expect(
            try await Credential.bearer("a") { _ in throw NotAuthorized(.proofRefused) }.judge(Self.refusal) == .accept)
        let none = await #expect(throws: NotAuthorized.self) {
            try await Credential.bearer("a") { _ in throw NotAuthorized(.noToken) }.judge(Self.refusal)
        }
        #expect(none?.reason == .noToken)
        await #expect(throws: Offline.self) {
            try await Credential.bearer("a") { _ in throw Offline() }.judge(Self.refusal)
        }
        let error = await #expect(throws: NotAuthorized.self) {
            try await Credential.bearer("a") { _ in throw NotAuthorized(.signedOut) }.judge(Self.refusal)
        }
        #expect(error?.reason == .signedOut && error?.challenge?.error == "invalid_token")
    }

    @Test func `a held token is its own credential, and is released with its provider`() async throws {
        weak var provider: RefreshableTokenAuthorization<TestToken>?
        let credential: Credential
        do {
            let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(), token: TestToken("a"))
            provider = auth
            credential = try await auth.credential(for: FakeRequest.make())
            #expect(credential.contents === auth.core.read { $0.held })
            #expect(credential.isCurrent && !credential.isForOneRequest && !credential.wantsEveryAnswer)
        }
        #expect(provider == nil)
        #expect(!credential.isCurrent)
        // Another provider may have the session now: the client asks for it.
        #expect(try await credential.judge(Self.refusal) == .anew)
        #expect(try await credential.judge(FakeResponse(statusCode: 403)) == .accept)
        // No token of that session would do.
        for error in ["insufficient_scope", "insufficient_user_authentication"] {
            let refusal = FakeResponse.unauthorized("Basic", "Bearer error=\"\(error)\"")
            #expect(try await credential.judge(refusal) == .accept)
        }
    }

    @Test func `a retry is an event, a new connection is none`() async throws {
        let bench = Bench.make(.token("new"))
        let old = try await bench.auth.credential(for: FakeRequest.make())
        #expect(try await old.judge(Self.refusal) == .anew)
        let new = try await bench.auth.credential(for: FakeRequest.make())
        var events = bench.auth.events.makeAsyncIterator()
        try old.allowsToGoOn(with: new)
        try old.admit(new)
        try new.admit(new)
        bench.auth.tell(AuthorizationEvent(.unauthorized))
        let kinds = [await events.next()?.kind, await events.next()?.kind]
        #expect(kinds == [.requestRetried, .unauthorized])
    }

    @Test func `it prints the names of its fields`() throws {
        let credential = try Credential(["X-Key": "secret"]).adding("secret", in: "X-Other")
        #expect("\(credential) \(Credential.none)" == "Credential(X-Key, X-Other) Credential()")
        #expect(String(reflecting: credential) == "Credential(X-Key, X-Other)")
    }
}
