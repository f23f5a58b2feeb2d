// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Two million calls during calls of `reset()`.
@Suite struct ResetRaceTests {
    @Test func `no call that began after reset had returned gets the old token`() async throws {
        let auth = RefreshableTokenAuthorization(service: CountingService(), clock: ManualClock())
        let lastReset = SharedCount(-1)
        let calls = SharedCount(0)
        let violations = SharedCount(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    while calls.add(1) <= 2_000_000 {
                        // A valid token suspends no caller, so yield to the task that resets.
                        if Int.random(in: 0..<32) == 0 { await Task.yield() }
                        let over = lastReset.value
                        guard let name = try? await auth.validToken().name, let number = Int(name) else { continue }
                        if number <= over { violations.add(1) }
                    }
                }
            }
            group.addTask {
                var number = 0
                while calls.value < 2_000_000 {
                    try? await auth.setToken(TestToken("\(number)"))
                    await Task.yield()
                    await auth.reset()
                    lastReset.add(1)
                    number += 1
                }
            }
        }
        #expect(violations.value == 0)
        #expect(lastReset.value > 10)
    }
}
