// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A shared store whose item is damaged.
@Suite struct DamagedItemTests {
    private let damage = TokenStoreError(.corrupt, "it was set aside")

    @Test(arguments: [1, 2]) func `no request fails for a damaged item while the token is held`(loads: Int) async throws
    {
        let bench = SharedBench.make(.token("new"))
        #expect(try await bench.name() == "old")
        for _ in 0..<loads { bench.store.fail(next: .load, with: damage) }
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.name() == "new")
        await bench.unlocked()
        #expect(bench.place.stored?.token?.name == "new")
        #expect(bench.service.calls == 1)
    }

    @Test(.timeLimit(.minutes(5))) func `a damaged item is reported while the token is held`() async throws {
        let bench = SharedBench.make(.token("new"))
        #expect(try await bench.name() == "old")
        bench.store.fail(next: .load, with: damage)
        bench.clock.advance(by: .seconds(10))
        let event = await bench.event(.saveFailed) { _ = try? await bench.name() }
        #expect((event?.error as? TokenStoreError)?.kind == .corrupt)
    }

    @Test func `a damaged item is an error if no token is held`() async {
        let bench = SharedBench.make(.token("new"))
        bench.store.fail(next: .load, with: damage)
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect((error?.underlying as? TokenStoreError)?.kind == .corrupt)
        #expect(bench.service.calls == 0)
    }

    @Test func `any other error of the store fails the refresh`() async throws {
        let bench = SharedBench.make(.token("new"))
        #expect(try await bench.name() == "old")
        bench.store.fail(next: .load, with: TokenStoreError(.unreadable, "it is of a later version"))
        bench.clock.advance(by: .seconds(10))
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect((error?.underlying as? TokenStoreError)?.kind == .unreadable)
        #expect(bench.service.calls == 0)
    }
}
