// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The checks of what lasts, of late calls, and of a place that is out of reach or was emptied.
extension SharedTokenStoreChecks {
    /// Whether a store gives access while another one has it. The access is given up.
    func gives(_ store: Store) async throws -> Bool {
        guard let lock = try? await store.lock(within: lockLimit) else { return false }
        let isAccess = lock.remaining.map { $0 > .zero } ?? true
        await lock.unlock()
        return isAccess
    }

    /// Finds a time to live that nobody has declared.
    func checkLasting() async throws {
        let (one, other) = try await empty()
        let intent = RefreshIntent(session: .probe, generation: 0, beganAt: .probe)
        try await one.save(stored(0))
        let lock = try await one.lock(within: plain.limit)
        try await lock.whileHeld {
            if let deadline = lock.requestDeadline, let remaining = lock.remaining {
                let needed = deadline + .seconds(1)
                try require(remaining >= needed, "gave access for \(remaining), and a request needs \(needed)")
            }
            _ = try await one.loadWithIntent()
            try await one.setIntent(intent)
            try await plain.clock.sleep(for: patience)
            let isDeclared = lock.remaining.map { $0 > .zero } ?? true
            let isShared = try await gives(other)
            try require(isDeclared, "ended the access after \(patience) instead of renewing it")
            try require(!isShared, "gave access to a sibling after \(patience), before it was released")
            try checkIntent(try await other.openIntent(), intent, "after \(patience)")
            try expect(try await other.load(), stored(0))
        }
    }

    /// Releases access a second time, when it is another's.
    func checkLateRelease() async throws {
        let (one, other) = try await empty()
        for (next, name) in [(other, "a sibling"), (one, "the same store")] {
            let former = try await one.lock(within: plain.limit)
            await former.unlock()
            let lock = try await next.lock(within: plain.limit)
            await former.unlock()
            let isShared = try await gives(next)
            await lock.unlock()
            try require(!isShared, "released the access of \(name) with a lock that was released before")
        }
    }

    /// An error that looks like an empty store ends the session of a user who has not signed out.
    func checkErrors() async throws {
        let (one, _) = try await empty()
        try await one.save(stored(1))
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await isEmpty(one)
        }
        try require(await !task.value, "was empty for a task that was cancelled")
        guard let store = try await unreachable?() else { return }
        try require(await !isEmpty(store), "was empty while its place could not be reached")
    }

    /// Whether a read says that nothing is stored. An error is another answer.
    private func isEmpty(_ store: Store) async -> Bool {
        do { if try await store.load() == nil { return true } } catch {}
        do { return try await store.loadWithIntent().stored == nil } catch { return false }
    }

    /// A removal must end the session of siblings that have it.
    func checkRemoval() async throws {
        let (one, other) = try await empty()
        try await one.save(stored(1))
        try expect(try await other.load(), stored(1))
        try await one.clear()
        for store in [one, other] {
            let absence = try await store.loadWithIntent().absence
            try require(absence == .gone, "said \(absence) after it was cleared")
        }
    }

    func checkReopening(_ reopened: (Store) async throws -> Store) async throws {
        let (one, _) = try await empty()
        let intent = RefreshIntent(session: .probe, generation: 1, beganAt: .probe)
        try await one.save(stored(1))
        try await setIntent(intent, in: one)
        let next = try await reopened(one)
        try expect(try await next.load(), stored(1))
        try checkIntent(try await next.openIntent(), intent, "at the next launch")
    }

    /// A place that was emptied has lost the sessions; it has not ended them.
    func checkEmptying(_ empty: (Store) async throws -> Void) async throws {
        let (one, other) = try await self.empty()
        // The first store has only saved, the second has only loaded.
        try await one.save(stored(1))
        try expect(try await other.load(), stored(1))
        try await empty(one)
        for (store, name) in [(one, "saved"), (other, "loaded")] {
            let contents = try await store.loadWithIntent()
            try expect(contents.stored, nil)
            try require(
                contents.absence == .placeMissing,
                "said \(contents.absence) to a store that had \(name) the token, after its place was emptied")
        }
        let result = try await one.save(stored(2), replacing: .older(session: .probe, generation: 2))
        guard case .saved = result else { throw CheckProblem("did not save a token again after it was emptied") }
        try expect(try await other.load(), stored(2))
    }
}
