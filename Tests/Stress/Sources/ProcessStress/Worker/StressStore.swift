// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A shared store in which the process can die, and in which parts of its protection can be switched off.
struct StressStore<Base: SharedTokenStore>: SharedTokenStore {
    typealias Token = Base.Token

    let base: Base
    let execution: Execution
    let controls: Controls

    /// The parts that are switched off, to prove that they are needed.
    struct Controls: Sendable {
        /// All workers have access at once.
        var withoutLock = false
        /// No worker saves an intent.
        var withoutIntent = false
        /// No worker learns of its siblings' changes.
        var withoutWatch = false
        /// A missing token counts as lost, and every save is allowed.
        var withoutEnd = false
    }

    func load() async throws -> StoredToken<Token>? { try await base.load() }
    func save(_ stored: StoredToken<Token>) async throws { try await base.save(stored) }
    func clear() async throws { try await base.clear() }
    var changes: AsyncStream<Void>? { controls.withoutWatch ? nil : base.changes }

    func lock(within limit: Duration) async throws -> TokenStoreLock {
        let began = ContinuousClock.now
        let lock = controls.withoutLock ? TokenStoreLock {} : try await base.lock(within: limit)
        execution.note(lockWait: ContinuousClock.now - began)
        execution.pass(.lock)
        return TokenStoreLock(lock) { [execution] in
            execution.pass(.beforeUnlock)
            await lock.unlock()
        }
    }

    func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        try await base.save(stored, replacing: controls.withoutEnd ? .anything : condition, ending: intent)
    }

    func loadWithIntent() async throws -> TokenWithIntent<Token> {
        let kept = try await base.loadWithIntent()
        return TokenWithIntent(
            kept.stored, absence: controls.withoutEnd ? .placeMissing : kept.absence,
            intent: controls.withoutIntent ? nil : kept.intent)
    }

    func setIntent(_ intent: RefreshIntent?) async throws {
        if !controls.withoutIntent { try await base.setIntent(intent) }
        if intent != nil { execution.pass(.intent) }
    }
}
