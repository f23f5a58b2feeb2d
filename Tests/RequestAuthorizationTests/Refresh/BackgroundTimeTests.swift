// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// On iOS the system suspends apps in the background, unless they ask for time.
@Suite struct BackgroundTimeTests {
    @Test func `a refresh keeps the process awake until its token is stored`() async throws {
        let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
        let save = store.hold(next: .save)
        let activities = ScriptedActivities()
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService(.token("a")), token: nil, store: store, clock: ManualClock(),
            activities: activities)
        async let token = auth.validToken()
        await save.begins()
        #expect(activities.running == 1)
        save.release()
        #expect(try await token.name == "a")
        for await _ in activities.ends { break }
        #expect(activities.running == 0)
        #expect(store.base.stored?.token?.name == "a")

        #expect(try await auth.validToken().name == "a")
        #expect(activities.count == 1, "a token in memory needs no time")
    }

    @Test func `a refresh goes on when the time has ended, and the process may be suspended`() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let activities = ScriptedActivities()
        let auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: nil, clock: ManualClock(), activities: activities)
        async let token = auth.validToken()
        let call = try await service.nextCall()
        activities.expire()
        for await _ in activities.ends { break }
        #expect(activities.running == 0)
        call.succeed(TestToken("a"))
        #expect(try await token.name == "a")
    }
}

/// A system whose background time ends when the test says so.
private final class ScriptedActivities: ExpiringActivities {
    private struct Contents {
        var blocks: [Int: @Sendable (Bool) -> Void] = [:]
        var count = 0
    }

    private let contents = Lock(Contents())
    /// An element for each activity that has ended.
    let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() { (ends, end) = AsyncStream.makeStream() }

    /// The number of activities that keep the process from being suspended.
    var running: Int { contents.withLock(\.blocks.count) }
    /// The number of all activities.
    var count: Int { contents.withLock(\.count) }

    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
        let number = contents.withLock { contents in
            contents.count += 1
            contents.blocks[contents.count] = block
            return contents.count
        }
        Thread.detachNewThread { [self] in
            block(false)
            contents.withLock { _ = $0.blocks.removeValue(forKey: number) }
            end.yield()
        }
    }

    func expire() {
        for block in contents.withLock({ Array($0.blocks.values) }) { block(true) }
    }
}
