// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// A provider without a session follows a sibling that signs in: an extension, a tool, a daemon that started first.
@Suite(.timeLimit(.minutes(5))) struct SiblingSessionTests {
    @Test func `a provider that signed out follows a sibling that signs in again`() async throws {
        let bench = SharedBench.make()
        let sibling = bench.sibling()
        #expect(try await bench.name() == "old")
        #expect(try await sibling.name() == "old")
        await bench.auth.reset()
        try await sibling.auth.signIn { TestToken("again") }
        #expect(await bench.holds("again"))
        #expect(bench.service.calls == 0)
    }

    @Test func `a provider that the server signed out follows too`() async throws {
        let bench = SharedBench.make(.failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let sibling = bench.sibling()
        bench.clock.advance(by: .seconds(10))
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .rejected)
        try await sibling.auth.signIn { TestToken("again") }
        #expect(await bench.holds("again"))
    }

    @Test func `a provider that started before the first sign-in follows too`() async throws {
        let bench = SharedBench.make(.failure(NotAuthorized(.noToken)))
        try await bench.place.sibling().clear()
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .noToken)
        try await bench.sibling().auth.signIn { TestToken("first") }
        #expect(await bench.holds("first"))
        #expect(bench.service.calls == 1)
    }

    @Test func `a provider that never loaded, because it signed in itself, follows too`() async throws {
        let bench = SharedBench.make()
        let sibling = bench.sibling()
        try await bench.auth.signIn { TestToken("mine") }
        #expect(try await sibling.name() == "mine")
        let end = Task { await bench.auth.tokenChanges.first { !$0.isAuthorized } != nil }
        await sibling.auth.reset()
        #expect(await end.value)
    }

    @Test func `a read from before a session ended or began is known to be outdated`() {
        var bench = RefreshStateBench.make(storage: .shared)
        var seen = [bench.state.basis]
        bench.does { $0.reset(newSession: ExploredWorld.session(2), &$1) }
        seen.append(bench.state.basis)
        bench.setToken(2, session: ExploredWorld.session(3))
        seen.append(bench.state.basis)
        bench.does { $0.endSession(NotAuthorized(.rejected), &$1) }
        seen.append(bench.state.basis)
        // Signed out again: the earlier sign-in of a sibling does not count any more.
        for number in [4, 5] {
            bench.does { $0.reset(newSession: ExploredWorld.session(number), &$1) }
            seen.append(bench.state.basis)
        }
        #expect(Set(seen).count == 6)
    }

    @Test func `a provider without a session ignores all changes but a token`() {
        var bench = RefreshStateBench.make(holding: nil, storage: .shared)
        let tombstone = bench.tombstone(generation: 3)
        #expect(bench.does { $0.noticed(tombstone, nil, .gone, &$1) } == [])
        #expect(bench.does { $0.noticed(nil, nil, .gone, &$1) } == [])
        let token = bench.stored(1, session: ExploredWorld.session(2), generation: 0)
        #expect(
            bench.does { $0.noticed(token, nil, .gone, &$1) }
                == ["token adopted", "announce 1", "token installed"])
    }
}

extension SharedBench {
    /// Suspends until the provider holds this token.
    fileprivate func holds(_ name: String) async -> Bool {
        await auth.tokenChanges.first { change in
            if case .tokenUpdated(let token) = change { token.name == name } else { false }
        } != nil
    }
}
