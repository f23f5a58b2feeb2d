// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import InMemoryTracing
import RedactionChecks
import RequestAuthorizationTelemetry
import RequestAuthorizationTesting
import Testing
import Tracing

/// No token and no text of an error reaches a log, a metric or a span.
@Suite(.timeLimit(.minutes(5))) struct RedactionTests {
    private let desk = Desk()

    @Test func `no public type shows its arguments`() throws {
        let exhibits = [
            Exhibit("AuthorizationTelemetry", desk.telemetry(Secret.text)),
            Exhibit("PoolTelemetry", PoolTelemetry<String>(logger: desk.logs.logger, label: { _ in Secret.text })),
        ]
        #expect(exhibits.flatMap(\.leaks) == [])
        #expect(try PublicTypes.declared(in: ["RequestAuthorizationTelemetry"]) == Set(exhibits.map(\.type)))
    }

    @Test func `an operator's view of a whole session has no token and no error's text`() async throws {
        let secret = TestToken(Secret.text, expiresAt: desk.clock.now.addingTimeInterval(100))
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        let service = ScriptedTokenService<TestToken>(
            clock: desk.clock, .success(secret), .failure(CarelessError()),
            .failure(TokenEndpointError(status: 400, code: "of \(Secret.text)")),
            .failure(NotAuthorized(.rejected, underlying: CarelessError())))
        let auth = RefreshableTokenAuthorization(
            service: service, store: store, policy: .init(backOff: .init(patience: .zero)), clock: desk.clock)
        auth.report(to: desk.telemetry())
        store.fail(next: .save, with: CarelessError())
        let transport = ScriptedTransport<TestRequest, TestResponse>(forever: .response(401))
        for _ in 0..<4 {
            _ = try? await auth.send(TestRequest()) { try await transport.send($0) }
            desk.clock.advance(by: .seconds(400))
        }
        await desk.logs.line("session ended")
        service.failRevocation(with: CarelessError())
        service.failRevocation(with: TokenEndpointError(status: 400, code: "of \(Secret.text)", kind: .client))
        try await auth.signIn { secret }
        await #expect(throws: CarelessError.self) { try await auth.signOut() }
        try await auth.signOut()
        await desk.logs.line("revocation refused")
        await desk.logs.line("session ended", count: 2)

        #expect(service.calls == 4)
        let messages = Set(desk.logs.lines.map(\.message))
        #expect(messages.isSuperset(of: ["refresh failed", "save failed", "session ended", "unauthorized"]))
        #expect(desk.logs.lines.map(\.text).filter(Secret.isPart) == [])
        #expect(desk.metricNames.count > 6)
        #expect((desk.metricNames.union(desk.dimensions)).filter(Secret.isPart) == [])
        #expect(desk.tracer.finishedSpans.count == 4)
        #expect(desk.tracer.finishedSpans.map(text).filter(Secret.isPart) == [])
    }

    /// Everything that reaches a backend.
    private func text(of span: FinishedInMemorySpan) -> String {
        var text = "\(span.operationName) \(String(describing: span.status)) \(span.events) \(span.errors)"
        span.attributes.forEach { text += " \($0)=\($1)" }
        return text
    }
}

/// An error that prints too much, in its text and in its properties.
private struct CarelessError: LocalizedError, CustomStringConvertible {
    let token = Secret.text
    var description: String { "the server refused \(Secret.text)" }
    var errorDescription: String? { description }
}
#endif
