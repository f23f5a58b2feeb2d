// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Calls of the store: one at a time, each with a deadline.
extension RefreshableTokenAuthorization {
    private nonisolated var sharedStore: (any SharedTokenStore<Token>)? { store as? any SharedTokenStore<Token> }

    func load() async throws -> State.Outcome {
        guard let store else { return .loaded(nil, nil) }
        let shared = sharedStore
        return try await callStore {
            let stored = try await store.load()
            return .loaded(stored, try await shared?.openIntent())
        }
    }

    /// Saves a token of a flight or a manual refresh, unless that is over by the time it is its turn.
    func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, of id: FlightID
    ) async throws -> TokenSaveConflict<Token>? {
        let state = state
        return try await callStore { [self] in
            guard state.withState({ $0.isUnderWay(id) }) else { return nil }
            return try await put(stored, replacing: condition)
        }
    }

    func leave(_ intent: RefreshIntent?) async throws -> State.Outcome {
        let shared = sharedStore
        return try await callStore {
            try await shared?.setIntent(intent)
            return .done
        }
    }

    /// Brings to the store what is not there yet, until nothing is left or the store fails.
    func write() async {
        var goesOn = true
        while goesOn, let unsaved = state.withState({ $0.beginWrite() }) {
            let result = await bring(unsaved)
            goesOn = transition {
                let (again, actions) = $0.endWrite(unsaved.number, result, at: $1, random: random())
                return (again, actions)
            }
        }
    }

    /// Returns when the store has been told of what was decided before, or has failed.
    func settleStore() async {
        guard store != nil else { return }
        repeat {
            await write()
            guard (try? await callStore {}) != nil else { return }
        } while state.withState { $0.unsaved?.isWriting == true }
    }

    // MARK: Siblings

    /// Begins to follow what siblings do to the store.
    func watchStore() {
        guard watch == nil, let changes = store?.changes else { return }
        watch = Task { [weak self] in
            for await _ in changes { await self?.noticeChange() }
        }
    }

    private func noticeChange() async {
        var isOutdated = true
        while isOutdated {
            let basis = state.withState { $0.basis }
            guard case .loaded(let stored, let intent) = try? await load() else { return }
            isOutdated = transition { state, now in
                // What was read before a sign-out must not undo it.
                guard state.basis == basis else { return (true, []) }
                return (false, state.noticed(stored, intent, at: now, random: random()))
            }
        }
    }

    // MARK: Exclusive access

    func lock(for id: FlightID) async throws {
        if let lock = keptLock {
            keptLock = nil
            locks[id] = lock
        } else if let shared = sharedStore {
            locks[id] = try await shared.lock(within: policy.lockDeadline)
        }
    }

    /// Gives the flight's access up, unless a token could not be saved.
    ///
    /// What the flight has decided goes to the store before: a sibling that found the session as it was would present the
    /// spent token once more.
    func giveUpLock(of id: FlightID) async {
        if locks[id] != nil, state.withState({ $0.unsaved?.keepsLock == false }) { await settleStore() }
        guard let lock = locks.removeValue(forKey: id) else { return }
        if state.withState({ $0.unsaved?.keepsLock == true }) {
            keptLock = lock
        } else {
            await lock.unlock()
        }
    }

    func giveUpKeptLock() async {
        guard let lock = keptLock else { return }
        keptLock = nil
        await lock.unlock()
    }

    // MARK: -

    private func bring(_ unsaved: State.Unsaved) async -> Result<TokenSaveConflict<Token>?, any Error> {
        do {
            let store = store
            switch unsaved.content {
            case .clear:
                try await callStore { try await store?.clear() }
                return .success(nil)
            case .save(let stored, let condition):
                return .success(
                    try await callStore { [self] in
                        let conflict = try await put(stored, replacing: condition)
                        if unsaved.keepsLock { try await sharedStore?.setIntent(nil) }
                        return conflict
                    })
            }
        } catch {
            return .failure(error)
        }
    }

    private nonisolated func put(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition
    ) async throws -> TokenSaveConflict<Token>? {
        if let shared = sharedStore { return try await shared.save(stored, replacing: condition) }
        try await store?.save(stored)
        return nil
    }

    /// Calls the store after whoever called it before; gives up, but does not interrupt, a call that takes too long.
    private func callStore<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        guard overdueStoreCalls == 0 else {
            throw DeadlineExceeded(description: "an earlier call of the token store has not returned")
        }
        watchStore()
        let previous = lastStoreCall
        let call = Task {
            await previous?.value
            return try await body()
        }
        lastStoreCall = Task { _ = await call.result }
        do {
            return try await call.value(within: policy.storeDeadline, of: clock, for: "a call of the token store")
        } catch let error as DeadlineExceeded {
            overdueStoreCalls += 1
            Task {
                _ = await call.result
                overdueStoreCalls -= 1
            }
            throw error
        }
    }
}
