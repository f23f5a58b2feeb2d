// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks that a `SharedTokenStore` conforms, ``TokenStoreChecks`` included.
///
///     try await SharedTokenStoreChecks { (try MyStore<TestToken>(at: path), try MyStore(at: path)) }.run()
///
/// The closure creates two stores on the same empty place, as two processes would. It is called for each check. If
/// `changes` is `nil`, announcements are not checked. Three more closures let the checks see what only your place can
/// do: be opened again, be out of reach, and be emptied. Pass all three for a store of your own.
///
/// A lock whose `remaining` is zero counts as no access: the store lets a caller read without it.
public struct SharedTokenStoreChecks<Store: SharedTokenStore>: Sendable where Store.Token: Equatable {
    let plain: TokenStoreChecks<Store>
    let lockLimit: Duration
    let patience: Duration
    let emptied: (@Sendable (Store) async throws -> Void)?
    let unreachable: (@Sendable () async throws -> Store)?
    private let stores: @Sendable () async throws -> (Store, Store)
    private var token: @Sendable (Int) -> Store.Token { plain.token }

    /// Creates the checks of a store for tokens of any type.
    ///
    /// - Parameters:
    ///   - token: creates a different token for each number.
    ///   - limit: how long each check may take; long, so that no check fails on a busy machine.
    ///   - lockLimit: how long to wait for exclusive access that is already taken.
    ///   - patience: how long access, an intent and a token are watched. Make it longer than every time to live that
    ///     your place sets.
    ///   - clock: the clock for `limit` and `patience`, and for pauses of up to 100 ms.
    ///   - reopened: opens the same place again, as the next launch does. Without it this is not checked.
    ///   - unreachable: creates a store whose place cannot be reached. Without it only a cancelled read is checked.
    ///   - emptied: removes everything from the place of a store, as dropping its tables does. Without it this is not
    ///     checked.
    ///   - stores: creates two stores on the same empty place.
    public init(
        token: @escaping @Sendable (Int) -> Store.Token, limit: Duration = .seconds(120),
        lockLimit: Duration = .milliseconds(50), patience: Duration = .milliseconds(1_500),
        clock: any AuthorizationClock = .system,
        reopened: (nonisolated(nonsending) @Sendable (Store) async throws -> Store)? = nil,
        unreachable: (nonisolated(nonsending) @Sendable () async throws -> Store)? = nil,
        emptied: (nonisolated(nonsending) @Sendable (Store) async throws -> Void)? = nil,
        _ stores: nonisolated(nonsending) @escaping @Sendable () async throws -> (Store, Store)
    ) {
        plain = TokenStoreChecks(token: token, limit: limit, clock: clock, reopened: reopened) {
            try await stores().0
        }
        (self.lockLimit, self.patience) = (lockLimit, patience)
        (self.unreachable, self.emptied) = (unreachable, emptied)
        self.stores = stores
    }

    /// Performs the checks, those of ``TokenStoreChecks`` included.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled.
    public func run() async throws {
        try await Check.run(plain.checks + checks, of: "\(Store.self)", within: plain.limit, of: plain.clock)
    }

    private var checks: [Check] {
        var checks = [
            Check("shows siblings what was saved") { try await checkSharing() },
            Check("saves if the condition is met and only then") { try await checkConditions() },
            Check("lets one of many conditional saves win") { try await checkRace() },
            Check("gives exclusive access to one at a time") { try await checkExclusion() },
            Check("gives exclusive access to the next") { try await checkUnlocking() },
            Check("stops waiting for exclusive access when cancelled") { try await checkCancelledLock() },
            Check("keeps an intent until it is removed") { try await checkIntent() },
            Check("ends an intent with a save, and only that one") { try await checkEndedIntent() },
            Check("announces changes to siblings") { try await checkChanges() },
            Check("keeps access, intent and token until they are removed") { try await checkLasting() },
            Check("releases only its own access") { try await checkLateRelease() },
            Check("tells an error from an empty store") { try await checkErrors() },
            Check("ends the session of siblings when it is cleared") { try await checkRemoval() },
        ]
        if let reopened = plain.reopened {
            checks.append(Check("keeps an intent for the next launch") { try await checkReopening(reopened) })
        }
        if let emptied {
            checks.append(Check("tells an emptied place from a sign-out") { try await checkEmptying(emptied) })
        }
        return checks
    }

    func empty() async throws -> (Store, Store) {
        let (one, other) = try await stores()
        if try await one.load() != nil { try await one.clear() }
        if try await one.openIntent() != nil { try await setIntent(nil, in: one) }
        return (one, other)
    }

    /// Writes an intent as a refresh does: it acquires access and reads first.
    func setIntent(_ intent: RefreshIntent?, in store: Store) async throws {
        try await store.lock(within: plain.limit).whileHeld {
            _ = try await store.loadWithIntent()
            try await store.setIntent(intent)
        }
    }

    /// A stored token, with its number as the generation.
    func stored(_ number: Int) -> StoredToken<Store.Token> { .probe(.token(token(number)), number) }

    private func checkSharing() async throws {
        let (one, other) = try await empty()
        for (writer, reader, number) in [(one, other, 1), (other, one, 2)] {
            let stored = stored(number)
            try await writer.save(stored)
            try expect(try await reader.load(), stored)
        }
        try await one.clear()
        try expect(try await other.load(), nil)
    }

    /// Checks every condition against every possible content.
    private func checkConditions() async throws {
        let (one, other) = try await empty()
        let session = UUID.probe
        let kept: [StoredToken<Store.Token>?] = [
            nil, stored(1), .probe(.signedOut, 1), .probe(.moved(to: "another store"), 1),
        ]
        let conditions: [TokenSaveCondition] = [
            .anything, .nothing, .session(session), .session(UUID()), .older(session: session, generation: 2),
            .older(session: session, generation: 1), .older(session: UUID(), generation: 2),
        ]
        let new = stored(2)
        for kept in kept {
            for condition in conditions {
                if let kept { try await other.save(kept) } else { try await other.clear() }
                let result = try await one.save(new, replacing: condition)
                let isAllowed = condition.allows(kept)
                let found = "\(kept.map { "\($0)" } ?? "nothing")"
                switch result {
                case .saved: try require(isAllowed, "saved over \(found) for \(condition)")
                case .refused(let obstacle):
                    try require(!isAllowed, "did not save over \(found) for \(condition)")
                    try expect(obstacle, kept)
                }
                try expect(try await other.load(), isAllowed ? new : kept)
            }
        }
    }

    /// A place may store its first item in another way than the next one.
    private func checkRace() async throws {
        for condition in [TokenSaveCondition.older(session: .probe, generation: 1), .nothing] {
            let (one, other) = try await empty()
            if condition != .nothing { try await one.save(stored(0)) }
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 1...16 {
                    group.addTask {
                        let store = number.isMultiple(of: 2) ? one : other
                        let result = try await store.save(.probe(.token(token(number)), 1), replacing: condition)
                        return if case .saved = result { true } else { false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            let what = condition == .nothing ? "began in the same empty place" : "replaced the same token"
            try require(winners == 1, "\(winners) of 16 saves \(what)")
        }
    }

    private func checkExclusion() async throws {
        let (one, other) = try await empty()
        try await one.lock(within: plain.limit).whileHeld {
            for (store, name) in [(other, "a sibling"), (one, "the same store")] {
                try require(try await !gives(store), "gave access to \(name) too")
            }
        }
    }

    private func checkUnlocking() async throws {
        let (one, other) = try await empty()
        let lock = try await one.lock(within: plain.limit)
        let next = Task { try await other.lock(within: plain.limit) }
        await Task.yield()
        await lock.unlock()
        try await next.value.unlock()
        try await one.lock(within: plain.limit).unlock()
    }

    private func checkCancelledLock() async throws {
        let (one, other) = try await empty()
        // A cancellation may come before the store waits, and while it does.
        for delay in [Duration.zero, .milliseconds(50)] {
            let lock = try await one.lock(within: plain.limit)
            let impatient = Task { try await other.lock(within: .seconds(86_400)) }
            defer { impatient.cancel() }
            if delay > .zero { try await plain.clock.sleep(for: delay) } else { await Task.yield() }
            impatient.cancel()
            if (try? await impatient.value) != nil { throw CheckProblem("gave access to two") }
            await lock.unlock()
            try await one.lock(within: plain.limit).unlock()
        }
    }

    private func checkIntent() async throws {
        let (one, other) = try await empty()
        try require(try await one.openIntent() == nil, "had an intent at first")
        let intent = RefreshIntent(session: UUID(), generation: 1 << 40, beganAt: .probe)
        try await setIntent(intent, in: one)
        try checkIntent(try await one.openIntent(), intent, "to the store itself")
        try checkIntent(try await other.openIntent(), intent, "to a sibling")
        try await one.save(stored(1))
        try checkIntent(try await other.openIntent(), intent, "after a save")
        _ = try await one.save(stored(2), replacing: .anything)
        try checkIntent(try await other.openIntent(), intent, "after a conditional save")
        // The refresh of the first one has got no answer.
        let next = RefreshIntent(session: .probe, generation: 2, beganAt: .probe)
        try await setIntent(next, in: one)
        try checkIntent(try await other.openIntent(), next, "after a later one was written")
        try await setIntent(nil, in: other)
        try require(try await one.openIntent() == nil, "still had the intent that a sibling removed")
    }

    private func checkEndedIntent() async throws {
        let (one, other) = try await empty()
        let session = UUID.probe
        let intents = (0...1).map { RefreshIntent(session: session, generation: $0, beganAt: .probe) }
        try await one.save(stored(0))
        try await setIntent(intents[0], in: one)
        let both = try await other.loadWithIntent()
        try expect(both.stored, stored(0))
        try checkIntent(both.intent, intents[0], "along with the token")
        // The intent stays if the save is refused, or ends another intent.
        let older = TokenSaveCondition.older(session: session, generation: 0)
        _ = try await one.save(stored(1), replacing: older, ending: intents[0])
        try checkIntent(try await other.openIntent(), intents[0], "after a save that was refused")
        _ = try await one.save(stored(1), replacing: .anything, ending: intents[1])
        try checkIntent(try await other.openIntent(), intents[0], "after a save that ends another")
        _ = try await one.save(stored(2), replacing: .anything, ending: intents[0])
        try require(try await other.openIntent() == nil, "still had the intent that ended with a save")
        try expect(try await other.load(), stored(2))
    }

    func checkIntent(_ seen: RefreshIntent?, _ left: RefreshIntent, _ place: String) throws(CheckProblem) {
        guard let seen else { throw CheckProblem("did not show the intent \(place)") }
        let isSame = seen.session == left.session && seen.generation == left.generation
        try require(isSame && seen.beganAt.isClose(to: left.beganAt), "showed another intent \(place)")
    }

    /// A refresh need not be announced. A new session, a sign-out and a removal must be.
    private func checkChanges() async throws {
        let (one, other) = try await empty()
        let session = UUID()
        let signIn = StoredToken<Store.Token>.probe(.token(token(2)), 1, of: session)
        let signOut = StoredToken<Store.Token>.probe(.signedOut, 2, of: session)
        try await requireNotice(from: other) { try await one.save(stored(1)) }
        for (stored, condition) in [(signIn, TokenSaveCondition.anything), (signOut, .session(session))] {
            try await requireNotice(from: other) {
                let result = try await one.save(stored, replacing: condition)
                try require(result == .saved, "refused \(stored) for \(condition)")
            }
        }
        try await requireNotice(from: other) { try await one.save(stored(1)) }
        try await requireNotice(from: other) { try await one.clear() }
        withExtendedLifetime(other) {}
    }

    private func requireNotice(from store: Store, of change: () async throws -> Void) async throws {
        guard let changes = store.changes else { return }
        var iterator = changes.makeAsyncIterator()
        _ = try await store.load()  // Changes after this read are announced.
        try await change()
        try require(await iterator.next() != nil, "ended the sequence of changes")
        // A change may be announced twice. The second notice must not count for the next change.
        try await plain.clock.sleep(for: .milliseconds(100))
    }
}

extension SharedTokenStoreChecks where Store.Token == TestToken {
    /// Creates the checks of a store for ``TestToken``. The parameters are those of the other initializer.
    public init(
        limit: Duration = .seconds(120), lockLimit: Duration = .milliseconds(50),
        patience: Duration = .milliseconds(1_500), clock: any AuthorizationClock = .system,
        reopened: (nonisolated(nonsending) @Sendable (Store) async throws -> Store)? = nil,
        unreachable: (nonisolated(nonsending) @Sendable () async throws -> Store)? = nil,
        emptied: (nonisolated(nonsending) @Sendable (Store) async throws -> Void)? = nil,
        _ stores: nonisolated(nonsending) @escaping @Sendable () async throws -> (Store, Store)
    ) {
        self.init(
            token: { .probe($0) }, limit: limit, lockLimit: lockLimit, patience: patience, clock: clock,
            reopened: reopened, unreachable: unreachable, emptied: emptied, stores)
    }
}
