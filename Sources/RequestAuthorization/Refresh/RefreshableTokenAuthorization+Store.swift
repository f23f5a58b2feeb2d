// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    nonisolated var sharedStore: (any SharedTokenStore<Token>)? { store as? any SharedTokenStore<Token> }

    func load() async throws -> Exchange.Outcome {
        guard let store else { return .loaded(nil, nil) }
        let shared = sharedStore
        let kept: TokenWithIntent<Token>
        do {
            kept = try await callStore {
                if let shared { return try await shared.loadWithIntent() }
                if let view = store as? any ReadOnlyStore<Token> { return try await view.loadWithAbsence() }
                return TokenWithIntent(try await store.load(), intent: nil)
            }
        } catch let error as TokenStoreError where error.kind == .corrupt && core.read({ $0.held != nil }) {
            // It may have been set aside. No request fails for it: the token is held.
            self.tell(AuthorizationEvent(.saveFailed, error: error))
            // A sibling may have saved its token by now, and an intent must not be lost.
            guard let shared, let next = try? await callStore({ try await shared.loadWithIntent() }) else {
                return .loaded(nil, nil, .setAside)
            }
            kept = next
        }
        return .loaded(kept.stored.map(item), kept.intent, kept.absence)
    }

    func setIntent(_ intent: RefreshIntent?) async throws {
        let shared = sharedStore
        do {
            try await callStore { try await shared?.setIntent(intent) }
        } catch let error as DeadlineExceeded where intent != nil {
            // A lease may be over unseen: nothing is sent whose intent has no answer. A lock is still held.
            limitedAccess?.withLock { $0 = $0.flatMap(\.ended) }
            throw error
        }
    }

    func lock(for id: RefreshID) async throws {
        guard let shared = sharedStore else { return }
        let beganAt = clock.uptime
        do {
            let lock = try await shared.lock(within: policy.lockDeadline)
            locks[id] = lock
            limitedAccess?.withLock { $0 = lock.requestDeadline == nil ? nil : lock }
        } catch {
            self.tell(.lockAwaited(clock.uptime - beganAt, error: error))
            throw error
        }
        self.tell(.lockAwaited(clock.uptime - beganAt))
    }

    func unlock(_ id: RefreshID, endsIntent: Bool) async {
        guard let lock = locks.removeValue(forKey: id) else { return }
        if locks.isEmpty { limitedAccess?.withLock { $0 = nil } }
        if endsIntent { try? await setIntent(nil) }
        await lock.unlock()
    }

    /// - Parameter whenMade: called if the save is made after it was given up.
    func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?,
        afterwards whenMade: @escaping @Sendable () -> Void
    ) async throws -> Vault.Written {
        let (store, shared) = (store, sharedStore)
        let save = { @Sendable () async throws -> SaveResult<StoredToken<Token>> in
            if let shared { return try await shared.save(stored, replacing: condition, ending: intent) }
            do {
                try await store?.save(stored)
                return .saved
            } catch let error as TokenStoreError where error.isOfEndedSession {
                return .refused(try await store?.load())
            }
        }
        let result = try await callStore(save) { late in
            if case .saved = late { whenMade() }
        }
        return switch result {
        case .saved: .saved
        case .refused(let stored): .refused(stored.map(item))
        }
    }

    // MARK: One call at a time

    /// Calls the store after all earlier calls. A call that takes too long is given up, but not interrupted.
    ///
    /// - Parameter whenLate: called with the result of a call that was given up, before another call begins.
    func callStore<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        afterwards whenLate: @escaping @Sendable (Value) -> Void = { _ in }
    ) async throws -> Value {
        guard overdueStoreCalls == 0 else {
            throw DeadlineExceeded(description: "an earlier call of the token store has not returned; try again later")
        }
        let previous = lastStoreCall
        let call = Task {
            await previous?.value
            return try await body()
        }
        lastStoreCall = Task { _ = await call.result }
        do {
            return try await call.value(within: policy.storeDeadline, of: timer, for: "a call of the token store")
        } catch let error as DeadlineExceeded {
            overdueStoreCalls += 1
            Task {
                let result = await call.result
                overdueStoreCalls -= 1
                if case .success(let value) = result { whenLate(value) }
            }
            throw error
        }
    }
}
