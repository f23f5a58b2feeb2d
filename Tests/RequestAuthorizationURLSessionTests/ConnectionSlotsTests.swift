// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

@testable import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
import TestProviders
#endif

@Suite(.timeLimit(.minutes(5))) struct ConnectionSlotsTests {
    private let slots = ConnectionSlots()
    private let waits = Tally()

    init() { slots.onWait { [waits] in waits.add() } }

    /// Begins to wait, and returns when it waits.
    private func wait(at host: Origin = "https://a.example", until end: ContinuousClock.Instant? = nil) async -> Task<
        Void, any Error
    > {
        let earlier = waits.count
        let task = Task { try await slots.take(at: host, limit: 1, until: end) }
        await waits.reaches(earlier + 1)
        return task
    }

    @Test func `a call waits until another one releases its slot, for each host separately`() async throws {
        try await slots.take(at: "https://a.example", limit: 1, until: nil)
        try await slots.take(at: "https://b.example", limit: 1, until: nil)
        let (second, third) = (await wait(), await wait())
        slots.give(at: "https://a.example")
        try await second.value
        slots.give(at: "https://a.example")
        try await third.value
        #expect(!slots.takeAtOnce(at: "https://a.example", limit: 1))
        slots.give(at: "https://a.example")
        #expect(slots.takeAtOnce(at: "https://a.example", limit: 1))
    }

    @Test func `a cancelled call ends at once, and the next one goes`() async throws {
        try await slots.take(at: "https://a.example", limit: 1, until: nil)
        let (second, third) = (await wait(), await wait())
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        slots.give(at: "https://a.example")
        try await third.value
    }

    @Test func `a call that is cancelled beforehand never waits, also if a slot is free`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await slots.take(at: "https://a.example", limit: 1, until: nil)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(slots.takeAtOnce(at: "https://a.example", limit: 1))
        #expect(waits.count == 0)
    }

    @Test func `a call whose time has ended leaves, and takes no slot`() async throws {
        try await slots.take(at: "https://a.example", limit: 1, until: nil)
        for end in [ContinuousClock.now, .now + .milliseconds(20)] {
            let error = await #expect(throws: URLError.self) {
                try await slots.take(at: "https://a.example", limit: 1, until: end)
            }
            #expect(error?.code == .timedOut)
        }
        slots.give(at: "https://a.example")
        #expect(slots.takeAtOnce(at: "https://a.example", limit: 1))
    }
}
