// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// How errors of a token service are sorted.
@Suite struct RefreshFailureTests {
    @Test func `an error of a token service can state its meaning`() {
        let failure = RefreshFailure(TokenEndpointError(status: 401, code: "invalid_client", retryAfter: .seconds(7)))
        #expect(failure.kind == .client)
        #expect(failure.retryAfter == .seconds(7))
        #expect(failure.delivery == .answered)
        let lost = RefreshFailure(TokenTransportError(.unreachable, delivery: .notSent))
        #expect(lost.kind == .transient)
        #expect(lost.delivery == .notSent)
    }

    @Test(arguments: [
        (200, true), (299, true), (300, false), (400, true), (404, true), (408, false), (409, true), (429, false),
        (499, true), (500, false), (503, false),
    ])
    func `an answer without a verdict is a refusal, unless it asks for a later retry`(
        status: Int, isRefusal: Bool
    ) {
        #expect(TokenEndpointError(status: status).isRefusal == isRefusal)
    }

    @Test(arguments: [
        Offline() as any Error, CancellationError(), URLError(.timedOut), POSIXError(.ECONNRESET),
        DecodingError.valueNotFound(Int.self, .init(codingPath: [], debugDescription: "")),
        RefreshFailed(underlying: Offline(), nextTryAt: .now, delivery: .notSent),
    ])
    func `any other error is transient, and the request may have been processed`(error: any Error) {
        let failure = RefreshFailure(error)
        #expect(failure.kind == .transient)
        #expect(failure.retryAfter == nil)
        #expect(failure.delivery == .mayHaveBeenProcessed)
    }

    @Test(arguments: [NotAuthorized.Reason.rejected, .signedOut])
    func `a NotAuthorized of a service that means the end of the session ends it, with its reason`(
        reason: NotAuthorized.Reason
    ) {
        let failure = RefreshFailure(NotAuthorized(reason))
        #expect(failure.kind == .terminal)
        #expect(failure.ending.reason == reason)
    }

    @Test(arguments: [
        (NotAuthorized.Reason.clientRefused, TokenFailureKind.client), (.needsInteraction, .interaction),
        (.noToken, .transient), (.notRefreshable, .transient), (.reentrantRefresh, .transient),
        (.insecureTransport, .transient), (.originNotAllowed, .transient), (.malformedCredential, .transient),
        (.redirectsFollowed, .transient), (.refreshedTooOften, .transient), (.refreshedElsewhere, .transient),
    ])
    func `any other NotAuthorized of a service ends no session, and callers get it unchanged`(
        reason: NotAuthorized.Reason, kind: TokenFailureKind
    ) async throws {
        let failure = RefreshFailure(NotAuthorized(reason))
        #expect(failure.kind == kind)
        #expect(failure.notAuthorized?.reason == reason)
        let bench = Bench.make(.failure(NotAuthorized(reason)), .token("new"))
        bench.clock.advance(by: .seconds(100))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == reason)
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.name() == "new")
    }

    @Test func `a service that waits for its own provider signs no user out`() async throws {
        let store = InMemoryTokenStore<TestToken>(.keeping(.token(TestToken("old", expiresAt: .distantPast))))
        let bench = Bench.make(store: store)
        let auth = bench.auth
        bench.service.append(.run { _ in try await auth.validToken() }, .token("new"))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .reentrantRefresh)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.name() == "new")
    }

    @Test func `the end of a session by another error has the reason rejected, and that error`() {
        let ending = RefreshFailure(TokenEndpointError(status: 400, code: "invalid_grant")).ending
        #expect(ending.reason == .rejected)
        #expect(ending.underlying as? TokenEndpointError == TokenEndpointError(status: 400, code: "invalid_grant"))
    }

    @Test func `any error of a store is transient, and nothing was sent`() {
        let failure = RefreshFailure(ofStore: NotAuthorized(.signedOut))
        #expect(failure.kind == .transient)
        #expect(failure.delivery == .notSent)
    }
}
