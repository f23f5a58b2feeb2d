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

    @Test(arguments: [false, true])
    func `a busy handler gets another server's token when it has returned, unless it is cancelled`(
        isCancelled: Bool
    ) async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let course = Lock<[String]>([])
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let (told, tell) = AsyncStream.makeStream(of: String.self)
            let observation = notes.onTokenChange { [ender = Ender(end)] change in
                defer { withExtendedLifetime(ender) {} }
                guard case .tokenUpdated(let token) = change else { return }
                course.withLock { $0.append("\(token.accessToken) begins") }
                if token.accessToken == "t1" {
                    begin.finish()
                    for await _ in gate {}
                }
                course.withLock { $0.append("\(token.accessToken) ends") }
                if token.accessToken == "t2" { end.finish() }
            }
            // Others that are told at the same time show that this one could have been, too.
            let others = (1...8).map { _ in
                notes.onTokenChange { change in
                    if case .tokenUpdated(let token) = change { tell.yield(token.accessToken) }
                }
            }
            _ = try await notes.get(server)
            for await _ in begun {}
            guarded.change { ($0.issuers, $0.refused) = (["BASE/as2"], ["t1"]) }
            _ = try await notes.get(server)
            var next = told.makeAsyncIterator()
            var count = 0
            while count < others.count { if await next.next() == "t2" { count += 1 } }
            if isCancelled { observation.cancel() }
            open.finish()
            for await _ in ends {}
            let later = isCancelled ? [] : ["t2 begins", "t2 ends"]
            #expect(course.withLock { $0 } == ["t1 begins", "t1 ends"] + later)
            for other in others + [observation] { other.cancel() }
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

    /// Ends a stream when it is deallocated.
    private final class Ender: Sendable {
        private let end: AsyncStream<Void>.Continuation

        init(_ end: AsyncStream<Void>.Continuation) { self.end = end }

        deinit { end.finish() }
    }

    /// Tells of its deallocation.
    private final class Canary: Sendable {
        private let isFreed: Lock<Bool>

        init(_ isFreed: Lock<Bool>) { self.isFreed = isFreed }

        deinit { isFreed.withLock { $0 = true } }
    }
}
#endif
