// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Real threads: run these under the thread sanitizer.
@Suite(.timeLimit(.minutes(5))) struct ObservationConcurrencyTests {
    @Test func `observers that begin and end while tokens change miss none and get none twice`() async throws {
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(), token: TestToken("0"), clock: ManualClock())
        let journals = (0..<20).map { _ in Journal<Int>() }
        await withTaskGroup { group in
            group.addTask { for number in 1...500 { try? await auth.setToken(TestToken("\(number)")) } }
            for (index, journal) in journals.enumerated() {
                group.addTask {
                    for _ in 0..<index { await Task.yield() }
                    for await change in auth.tokenChanges {
                        let number = Int(change.label) ?? -1
                        journal.add(number)
                        if number == 500 { return }
                    }
                }
            }
        }
        for journal in journals {
            let first = try #require(journal.all.first)
            #expect(journal.all == Array(first...500))
        }
    }

    @Test func `handlers that are cancelled while tokens change are all freed`() async throws {
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(), token: TestToken("0"), clock: ManualClock())
        let freed = (0..<200).map { _ in OneShot<Void>() }
        await withTaskGroup { group in
            group.addTask { for number in 1...500 { try? await auth.setToken(TestToken("\(number)")) } }
            for (index, end) in freed.enumerated() {
                group.addTask {
                    let observation = auth.onTokenChange { [canary = Canary(end)] _ in withExtendedLifetime(canary) {} }
                    for _ in 0..<index % 10 { await Task.yield() }
                    observation.cancel()
                }
            }
        }
        for end in freed { try await end.value() }
    }
}
