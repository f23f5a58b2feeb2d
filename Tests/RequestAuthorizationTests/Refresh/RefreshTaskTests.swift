// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// The task of a refresh starts before the provider has its handle.
@Suite(.timeLimit(.minutes(5))) struct RefreshTaskTests {
    private let core = ProviderCore(
        RefreshState(.absent, session: UUID(), storage: .none, policy: .default, provider: 1),
        at: Moment(date: .now, uptime: .zero))
    private let id = RefreshID(provider: 1, number: 1)

    @Test func `the task of a refresh whose session has ended meanwhile is not cancelled`() {
        core.expectTask(of: id)
        let task = Task {}
        core.register(task, for: id)
        #expect(!task.isCancelled)
    }

    @Test func `a task that is cancelled before its handle is known is cancelled then`() {
        core.expectTask(of: id)
        core.cancelTask(of: id)
        let task = Task {}
        core.register(task, for: id)
        #expect(task.isCancelled)
    }

    @Test func `a known task is cancelled at once, and one that has ended is not`() {
        core.expectTask(of: id)
        let task = Task {}
        core.register(task, for: id)
        core.cancelTask(of: id)
        #expect(task.isCancelled)
        core.forgetTask(of: id)
        let late = Task {}
        core.register(late, for: id)
        core.cancelTask(of: id)
        #expect(!late.isCancelled)
    }

    @Test func `a sign-in whose caller is cancelled cancels its closure`() async throws {
        let bench = Bench.make()
        let (begun, ended) = (OneShot<Void>(), OneShot<Bool>())
        let signIn = Task {
            try await bench.auth.signIn {
                begun.fulfill()
                do {
                    return try await OneShot<TestToken>().value()
                } catch {
                    ended.fulfill(with: .success(Task.isCancelled))
                    throw error
                }
            }
        }
        try await begun.value()
        signIn.cancel()
        #expect(try await ended.value())
        await #expect(throws: CancellationError.self) { try await signIn.value }
    }
}
