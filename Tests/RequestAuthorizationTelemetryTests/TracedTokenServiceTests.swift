// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import InMemoryTracing
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationTelemetry

/// The decorator passes everything on.
@Suite struct TracedTokenServiceTests {
    private let service = FullService()
    private var traced: TracedTokenService<TestToken> { TracedTokenService(service: service, tracer: InMemoryTracer()) }

    @Test func `each requirement is passed on`() async throws {
        #expect(try await traced.refresh(TestToken("a")).name == "refreshed a")
        #expect(try await traced.initialToken().name == "first")
        await traced.discard(TestToken("b"))
        try await traced.revoke(TestToken("c"))
        #expect(service.log.withLock { $0 } == ["discard b", "revoke c"])
        #expect(traced.serverOrigin == "https://accounts.example.com")
        #expect(traced.proofFields == ["DPoP"])
        #expect(traced.completed(TestToken("t")).name == "t, completed")
        #expect(throws: NotAuthorized.self) { try traced.proof(for: TestToken("d")) }
    }
}

/// A service that implements each requirement itself.
private final class FullService: RefreshableTokenService {
    let log = Lock<[String]>([])

    func refresh(_ token: TestToken) async throws -> TestToken { TestToken("refreshed \(token.name)") }
    func initialToken() async throws -> TestToken { TestToken("first") }
    func discard(_ token: TestToken) async { log.withLock { $0.append("discard \(token.name)") } }
    func revoke(_ token: TestToken) async throws { log.withLock { $0.append("revoke \(token.name)") } }
    var serverOrigin: Origin? { "https://accounts.example.com" }
    var proofFields: Set<String> { ["DPoP"] }
    func completed(_ token: TestToken) -> TestToken { TestToken("\(token.name), completed") }
    func proof(for token: TestToken) throws -> (any RequestProof)? { throw NotAuthorized(.malformedCredential) }
}
#endif
