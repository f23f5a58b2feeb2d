// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Synchronization

/// A number that all tasks count up.
final class SharedCount: Sendable {
    private let number: Atomic<Int>

    init(_ number: Int) { self.number = Atomic(number) }

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add(_ count: Int) -> Int { number.add(count, ordering: .sequentiallyConsistent).newValue }
}

/// A service whose tokens are numbers, each one more than the last.
final class CountingService: RefreshableTokenService {
    private let count = SharedCount(0)

    var calls: Int { count.value }

    func refresh(_ token: TestToken) async throws -> TestToken {
        await Task.yield()
        return TestToken("\(count.add(1))")
    }

    func initialToken() async throws -> TestToken { try await refresh(TestToken("none")) }
}
