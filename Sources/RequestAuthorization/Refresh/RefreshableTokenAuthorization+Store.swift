// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    nonisolated var sharedStore: (any SharedTokenStore<Token>)? { store as? any SharedTokenStore<Token> }

    func load() async throws -> RefreshState.Outcome {
        guard let store else { return .loaded(nil, nil) }
        let shared = sharedStore
        do {
            let kept = try await callStore {
                if let shared { return try await shared.loadWithIntent() }
                return TokenWithIntent(try await store.load(), intent: nil)
            }
            return .loaded(kept.stored.map(item), kept.intent, kept.absence)
        } catch let error as any StoredTokenDamage where error.isDamage && core.read({ $0.held != nil }) {
            return await loadBehindDamage(error)
        }
    }

    /// Reads a store whose damaged item may have been set aside. No request fails for it: the token is held.
    private func loadBehindDamage(_ error: any Error) async -> RefreshState.Outcome {
        change { $1.emit(.saveFailed, error: error) }
        // A sibling may have saved its token by now, and an intent must not be lost.
        if let shared = sharedStore, let kept = try? await callStore({ try await shared.loadWithIntent() }) {
            return .loaded(kept.stored.map(item), kept.intent, kept.absence)
        }
        return .loaded(nil, nil, .setAside)
    }

    func setIntent(_ intent: RefreshIntent?) async throws {
        let shared = sharedStore
        try await callStore { try await shared?.setIntent(intent) }
    }

    func lock(for id: RefreshID) async throws {
        guard let shared = sharedStore else { return }
        let beganAt = clock.uptime
        do {
            let lock = try await shared.lock(within: policy.lockDeadline)
            locks[id] = lock
            limitedAccess?.withLock { $0 = lock.requestDeadline == nil ? nil : lock }
        } catch {
            change { $1.emit(.lockAwaited(clock.uptime - beganAt, error: error)) }
            throw error
        }
        change { $1.emit(.lockAwaited(clock.uptime - beganAt)) }
    }

    func unlock(_ id: RefreshID, endsIntent: Bool) async {
        guard let lock = locks.removeValue(forKey: id) else { return }
        if locks.isEmpty { limitedAccess?.withLock { $0 = nil } }
        if endsIntent { try? await setIntent(nil) }
        await lock.unlock()
    }

    nonisolated func item(_ stored: StoredToken<Token>) -> StoredItem {
        let content: StoredItem.Content =
            switch stored.content {
            case .token(let token): .token(hold(token, version: stored.version, obtainedAt: stored.obtainedAt))
            case .signedOut: .signedOut
            case .moved(let place): .moved(to: place)
            }
        return StoredItem(
            content: content, version: stored.version, obtainedAt: stored.obtainedAt, wasSetAside: stored.wasSetAside)
    }

    nonisolated func stored(_ held: HeldToken) -> StoredToken<Token> {
        StoredToken(.token(typed(held).token), version: held.version, obtainedAt: held.obtainedAt)
    }

    // MARK: Siblings

    /// Begins to watch the store for changes by siblings.
    func watchStore() {
        guard watch == nil, let changes = store?.changes else { return }
        watch = Task { [weak self, clock] in
            for await _ in changes {
                for pause in changePauses {
                    guard await self?.noticeChange() == false else { break }
                    guard (try? await clock.sleep(for: pause)) != nil else { return }
                }
            }
        }
    }

    /// - Returns: whether the store could be read.
    private func noticeChange() async -> Bool {
        var isOutdated = true
        while isOutdated {
            let basis = core.read { $0.basis }
            guard case .loaded(let item, let intent, let absence) = try? await load() else { return false }
            isOutdated = change { state, turn in
                // A read that began before a sign-out must not undo it.
                guard state.basis == basis else { return true }
                state.noticed(item, intent, absence, &turn)
                return false
            }
        }
        return true
    }

    // MARK: One call at a time

    /// Calls the store after all earlier calls. A call that takes too long is given up, but not interrupted.
    func callStore<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard overdueStoreCalls == 0 else {
            throw DeadlineExceeded(description: "an earlier call of the token store has not returned; try again later")
        }
        watchStore()
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
                _ = await call.result
                overdueStoreCalls -= 1
            }
            throw error
        }
    }
}

/// The pauses between tries to read the store after a change. A read may fail for too many open files, for instance.
/// After 15 seconds only the next change, or the next refresh, reads the store again.
private let changePauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)]
