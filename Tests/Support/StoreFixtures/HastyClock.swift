// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization
import RequestAuthorizationTesting

/// A manual clock that advances by itself when something sleeps for at most two seconds: pauses between tries.
///
/// Longer sleeps are deadlines. They end only when a test advances the clock.
package struct HastyClock: AuthorizationClock {
    private static let pause = Duration.seconds(2)

    private let clock = ManualClock()

    package init() {}

    package var now: Date { clock.now }
    package var uptime: Duration { clock.uptime }

    package func sleep(for duration: Duration) async throws {
        guard duration <= Self.pause else { return try await clock.sleep(for: duration) }
        try Task.checkCancellation()
        if duration > .zero { clock.advance(by: duration) }
    }

    package func advance(by duration: Duration) { clock.advance(by: duration) }

    /// Waits for a task, and lets all deadlines pass meanwhile. After five minutes its user has no more patience.
    package func value<Value: Sendable>(
        of task: Task<Value, Never>, _ giveUp: @escaping @Sendable () -> Void
    ) async -> Value {
        let user = Task { if (try? await clock.sleep(for: .seconds(300))) != nil { giveUp() } }
        let driver = Task {
            while true {
                await clock.sleepers(1)
                // What a deadline has woken goes on before the next one passes.
                for _ in 0..<50 { await Task.yield() }
                guard !Task.isCancelled else { return }
                clock.advance(by: clock.sleeping.first ?? .zero)
            }
        }
        let value = await task.value
        for task in [user, driver] { task.cancel() }
        // An advance after this function would end deadlines of what follows.
        await driver.value
        return value
    }
}
