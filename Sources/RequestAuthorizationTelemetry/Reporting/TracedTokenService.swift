// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
import Tracing

/// Puts a span around each call that fetches a token. Its parent is the span of the request that began the refresh.
struct TracedTokenService<Token: AuthorizationToken>: RefreshableTokenService {
    let service: any RefreshableTokenService<Token>
    let tracer: any Tracer

    func refresh(_ token: Token) async throws -> Token {
        try await traced("authorization.refresh") { try await service.refresh(token) }
    }

    func refresh(_ token: Token, after challenge: AuthenticationChallenge) async throws -> Token {
        try await traced("authorization.refresh") { try await service.refresh(token, after: challenge) }
    }

    func initialToken() async throws -> Token {
        try await traced("authorization.initial_token") { try await service.initialToken() }
    }

    func completed(_ token: Token) -> Token { service.completed(token) }
    func discard(_ token: Token) async { await service.discard(token) }
    func revoke(_ token: Token) async throws { try await service.revoke(token) }
    var serverOrigin: Origin? { service.serverOrigin }
    var proofFields: Set<String> { service.proofFields }
    func proof(for token: Token) throws -> (any RequestProof)? { try service.proof(for: token) }

    // MARK: -

    /// Replaces `withSpan`, which would record the whole error, secrets included.
    private func traced(_ name: String, _ body: () async throws -> Token) async throws -> Token {
        let span = tracer.startAnySpan(name)
        defer { span.end() }
        if let origin = serverOrigin {
            span.attributes["server.address"] = origin.host
            span.attributes["server.port"] = origin.port
        }
        do {
            return try await ServiceContext.withValue(span.context) { try await body() }
        } catch {
            span.attributes["error.type"] = errorType(of: error)
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}
#endif
