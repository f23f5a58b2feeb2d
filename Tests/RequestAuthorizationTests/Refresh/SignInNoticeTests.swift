// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@Suite struct SignInNoticeTests {
    @Test func `listeners get an event about a session's end from seven days before it`() async throws {
        let clock = ManualClock()
        let end = clock.now.addingTimeInterval(8 * 86_400)
        let auth = RefreshableTokenAuthorization(service: EndingService(end: end), clock: clock)
        let early = try await kinds(of: auth) { _ = try await auth.validToken() }
        #expect(!early.contains { $0.kind == .signInNeeded })
        clock.advance(by: .seconds(86_400))
        let late = try await kinds(of: auth) { _ = try await auth.validToken() }
        #expect(late.filter { $0.kind == .signInNeeded }.map(\.signInNeededBefore) == [end])
        #expect("\(late.last { $0.kind == .signInNeeded }.map(\.description) ?? "")" == "sign-in needed")
        #expect(RefreshPolicy.default.signInNotice == .seconds(7 * 86_400))
    }

    @Test func `a token from the store causes the event too`() async throws {
        let clock = ManualClock()
        let end = clock.now.addingTimeInterval(86_400)
        let store = InMemoryTokenStore<EndingToken>()
        try await RefreshableTokenAuthorization(service: EndingService(end: end), store: store, clock: clock)
            .setToken(EndingToken(expiresAt: .distantFuture, end: end))
        let auth = RefreshableTokenAuthorization(service: EndingService(end: end), store: store, clock: clock)
        let events = try await kinds(of: auth) { _ = try await auth.validToken() }
        #expect(events.compactMap(\.signInNeededBefore) == [end])
    }

    /// The events up to the end of the refresh or load that the body causes.
    private func kinds(
        of auth: RefreshableTokenAuthorization<EndingToken>, while body: () async throws -> Void
    ) async throws -> [AuthorizationEvent] {
        var events: [AuthorizationEvent] = []
        var iterator = auth.events.makeAsyncIterator()
        try await body()
        while let event = await iterator.next() {
            events.append(event)
            if event.kind == .refreshEnded { break }
        }
        return events
    }
}

private struct EndingToken: AuthorizationToken {
    var authorizationHeaderValue: String { "Bearer a" }
    let expiresAt: Date
    let end: Date
    var signInNeededBefore: Date? { end }
}

/// Its tokens last a day, and its sessions until a fixed end.
private struct EndingService: RefreshableTokenService {
    let end: Date

    func refresh(_ token: EndingToken) async throws -> EndingToken {
        EndingToken(expiresAt: token.expiresAt.addingTimeInterval(86_400), end: end)
    }
    func initialToken() async throws -> EndingToken {
        EndingToken(expiresAt: end.addingTimeInterval(-7 * 86_400), end: end)
    }
}
