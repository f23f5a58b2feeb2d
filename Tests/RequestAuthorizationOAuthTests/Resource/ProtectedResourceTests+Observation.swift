// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Who observes the tokens.
extension ProtectedResourceTests {
    @Test func `a handler is told of each token, also of another server's`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let (told, tell) = AsyncStream.makeStream(of: String.self)
            let observation = notes.onTokenChange { change in
                if case .tokenUpdated(let token) = change { tell.yield(token.accessToken) } else { tell.yield("ended") }
            }
            var next = told.makeAsyncIterator()
            _ = try await notes.get(server)
            #expect(await next.next() == "t1")
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            _ = try await notes.get(server)
            #expect(await next.next() == "t2")
            observation.cancel()
        }
    }

    @Test func `an observation that is released ends, and frees its handler`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let isFreed = Lock(false)
            var observation: TokenObservation? = notes.onTokenChange { [canary = Canary(isFreed)] _ in
                withExtendedLifetime(canary) {}
            }
            #expect(observation != nil && !isFreed.withLock { $0 })
            observation = nil
            #expect(isFreed.withLock { $0 })
        }
    }

    /// Tells of its deallocation.
    private final class Canary: Sendable {
        private let isFreed: Lock<Bool>

        init(_ isFreed: Lock<Bool>) { self.isFreed = isFreed }

        deinit { isFreed.withLock { $0 = true } }
    }
}
#endif
