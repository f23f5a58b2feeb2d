// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct FolderWatchConcurrencyTests {
    /// A reader that reads after it began to listen, and again after each notice, sees the last change.
    @Test func `no change is missed, while other listeners come and go`() async throws {
        let last = 40
        let folder = try TemporaryFolder()
        let accounts = (0..<8).map { "account-\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for account in accounts {
                for patience in [1, 2, 1_000] {
                    group.addTask { try await follow(folder, account, to: last, patience: patience) }
                }
            }
            await withTaskGroup(of: Void.self) { writers in
                for account in accounts {
                    let store = folder.store(account: account)
                    writers.addTask { for generation in 1..<last { try? await store.save(.make(generation)) } }
                }
                // In between, the folder is made anew.
                for _ in accounts.indices.dropLast(4) { await writers.next() }
                try? FileManager.default.removeItem(atPath: folder.tokens)
            }
            for account in accounts { try await folder.store(account: account).save(.make(last)) }
            try await group.waitForAll()
        }
    }

    /// - Parameter patience: the number of notices after which the listener leaves and begins again.
    private func follow(_ folder: TemporaryFolder, _ account: String, to last: Int, patience: Int) async throws {
        let store = folder.store(account: account)
        while true {
            var changes = try #require(store.changes).makeAsyncIterator()
            for _ in 0..<patience {
                if try await store.load() == .make(last) { return }
                try #require(await changes.next() != nil)
            }
        }
    }
}
