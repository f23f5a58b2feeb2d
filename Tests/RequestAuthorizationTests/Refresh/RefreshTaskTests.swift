// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// The task of a refresh starts before the provider has its handle.
@Suite(.timeLimit(.minutes(5))) struct RefreshTaskTests {
    private let id = RefreshID()

    @Test func `a task that is cancelled before its handle is known is cancelled then`() {
        id.cancel()
        let task = Task {}
        id.register(task)
        #expect(task.isCancelled)
    }

    @Test func `a known task is cancelled at once`() {
        let task = Task {}
        id.register(task)
        #expect(!task.isCancelled)
        id.cancel()
        #expect(task.isCancelled)
    }

    @Test func `a sign-in in a cancelled task does not begin`() async {
        let bench = Bench.make()
        let signIn = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await bench.auth.signIn {
                Issue.record("it begins")
                return TestToken("new")
            }
        }
        await #expect(throws: CancellationError.self) { try await signIn.value }
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
