// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// What the exploration of the vault does not judge: the back-off, and which intents end.
struct VaultTests {
    private typealias Bench = RefreshStateBench

    private let bench = Bench.make()
    private let id = RefreshID()

    @Test func `a failed write is tried again within five seconds`() {
        var vault = Vault(.shared)
        _ = vault.order(.nothing)
        var now = bench.now
        for _ in 1...8 {
            guard let job = vault.begin() else { Issue.record("no write begins"); return }
            _ = vault.end(job, .failed(ExploredFailure()), at: now, random: 1)
            now = Moment(date: now.date, uptime: vault.slot ?? .zero)
            guard vault.wake(at: now) else { Issue.record("the slot is closed"); return }
        }
        guard let job = vault.begin() else { Issue.record("no write begins"); return }
        _ = vault.end(job, .failed(ExploredFailure()), at: now, random: 1)
        #expect(vault.slot == now.uptime + .seconds(5))
    }

    @Test func `an answer that was lost stays so when another call begins`() {
        let intents = [0, 1].map { RefreshIntent(session: Bench.session, generation: $0, beganAt: bench.now.date) }
        var vault = Vault(.shared)
        vault.take(for: id)
        vault.announce(intents[0], isAfterLoss: false)
        vault.answerWasLost()
        vault.announce(intents[1], isAfterLoss: false)
        let release = vault.release(unlessUsedBy: nil, isCalling: false)
        #expect(release?.endsIntent == false)
    }

    @Test func `the access of a refresh that is over is given up with its intent, whatever has begun since`() {
        var vault = Vault(.shared)
        vault.take(for: id)
        vault.announce(
            RefreshIntent(session: Bench.session, generation: 0, beganAt: bench.now.date), isAfterLoss: false)
        let release = vault.release(unlessUsedBy: RefreshID(), isCalling: true)
        #expect(release?.endsIntent == true)
    }
}
