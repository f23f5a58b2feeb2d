// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import InMemoryTracing
import RequestAuthorizationTelemetry
import RequestAuthorizationTesting
import TestProviders
import Testing
import Tracing

/// The span around each call that fetches a token.
@Suite(.timeLimit(.minutes(5))) struct SpanTests {
    private let desk = Desk()

    @Test func `the parent is the request that began the refresh, and the service runs within the span`() async throws {
        let service = LocatedService(tracer: desk.tracer)
        let auth = desk.provider(of: service, lasts: 0)
        try await desk.tracer.withSpan("GET /bills") { _ in _ = try await auth.validToken() }
        let spans = desk.tracer.finishedSpans
        let refresh = try #require(spans.first { $0.operationName == "authorization.refresh" })
        let request = try #require(spans.first { $0.operationName == "GET /bills" })
        let call = try #require(spans.first { $0.operationName == "POST /token" })
        #expect(refresh.parentSpanID == request.spanID)
        #expect(call.parentSpanID == refresh.spanID)
        #expect(refresh.traceID == request.traceID)
        #expect(refresh.attributes.get("server.address") == .string("accounts.example.com"))
        #expect(refresh.attributes.get("server.port") == .int64(8443))
        #expect(refresh.attributes.get("error.type") == nil)
        #expect(refresh.status == nil)
    }

    @Test func `a request that waits for another request's refresh is not the parent of its span`() async throws {
        let (service, held) = (ScriptedTokenService<TestToken>(clock: desk.clock, .held), Tally())
        let auth = desk.provider(of: service, lasts: 0, onHold: { held.add() })
        let first = Task { [desk] in try await desk.tracer.withSpan("first") { _ in try await auth.validToken() } }
        let call = try await service.nextCall()
        let second = Task { [desk] in try await desk.tracer.withSpan("second") { _ in try await auth.validToken() } }
        await held.reaches(2)
        call.succeed(TestToken("new"))
        _ = try await (first.value, second.value)
        let spans = desk.tracer.finishedSpans
        let refreshes = spans.filter { $0.operationName == "authorization.refresh" }
        #expect(refreshes.map(\.parentSpanID) == [spans.first { $0.operationName == "first" }?.spanID])
    }

    @Test(arguments: [
        (TokenEndpointError(status: 400, code: "invalid_grant") as any Error, "400"), (Offline(), "Offline"),
        (NotAuthorized(.signedOut), "signed_out"),
    ])
    func `a failure has an error type, and none of the error's text`(error: any Error, type: String) async throws {
        let auth = desk.provider(lasts: 0, .failure(error))
        _ = try? await auth.validToken()
        let span = try #require(desk.tracer.finishedSpans.first)
        #expect(span.attributes.get("error.type") == .string(type))
        #expect(span.status == SpanStatus(code: .error))
        #expect(span.errors.isEmpty)
        #expect(span.events.isEmpty)
    }

    @Test func `a first token has a span too`() async throws {
        let service = ScriptedTokenService<TestToken>(clock: desk.clock, .token("a", lasts: .seconds(100)))
        let auth = RefreshableTokenAuthorization(service: service, clock: desk.clock)
        auth.report(to: desk.telemetry())
        _ = try await auth.validToken()
        #expect(desk.tracer.finishedSpans.map(\.operationName) == ["authorization.initial_token"])
    }

    @Test func `a token in memory has no span`() async throws {
        _ = try await desk.provider().validToken()
        #expect(desk.tracer.finishedSpans.isEmpty)
    }
}

/// Names its server, and traces its call as an HTTP client does.
private struct LocatedService: RefreshableTokenService {
    let tracer: InMemoryTracer

    var serverOrigin: Origin? { "https://accounts.example.com:8443" }
    func refresh(_ token: TestToken) async throws -> TestToken {
        tracer.withSpan("POST /token", ofKind: .client) { _ in TestToken("new") }
    }
}
#endif
