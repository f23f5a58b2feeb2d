// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting

/// A store whose exclusive access binds other processes and not its own, as a lock on a file's descriptor does.
final class OpenToItself: SharedTokenStore {
    private let base: InMemorySharedTokenStore<TestToken>
    private let holds = Lock(0)

    init(_ base: InMemorySharedTokenStore<TestToken>) { self.base = base }

    func lock(within limit: Duration) async throws -> TokenStoreLock {
        if holds.withLock({ $0 > 0 }) { return TokenStoreLock {} }
        let lock = try await base.lock(within: limit)
        holds.withLock { $0 += 1 }
        return TokenStoreLock { [holds] in
            holds.withLock { $0 -= 1 }
            await lock.unlock()
        }
    }

    func load() async throws -> StoredToken<TestToken>? { try await base.load() }
    func save(_ stored: StoredToken<TestToken>) async throws { try await base.save(stored) }
    func clear() async throws { try await base.clear() }
    func save(
        _ stored: StoredToken<TestToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<TestToken>> {
        try await base.save(stored, replacing: condition, ending: intent)
    }
    func loadWithIntent() async throws -> TokenWithIntent<TestToken> { try await base.loadWithIntent() }
    func setIntent(_ intent: RefreshIntent?) async throws { try await base.setIntent(intent) }
}
