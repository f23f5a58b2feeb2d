// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Performs what the state decides: tasks, and calls of the service and of the store.
extension RefreshableTokenAuthorization {
    nonisolated var inputs: Turn.Inputs { Turn.Inputs(now: clock.moment, random: settings.random(), owner: self) }

    /// Performs a transition of the state, then its effects outside the lock.
    @discardableResult
    nonisolated func change<Result>(_ body: (inout RefreshState, inout Turn) -> Result) -> Result {
        let (result, aftermath) = core.change(inputs, body)
        perform(aftermath)
        return result
    }

    nonisolated func perform(_ aftermath: Aftermath) {
        for reader in aftermath.readers { reader.resume() }
        if !aftermath.resumptions.isEmpty { core.willResume() }
        for (waiters, result) in aftermath.resumptions {
            for waiter in waiters { waiter?.continuation.resume(with: result) }
        }
        for caller in aftermath.settled { caller.resume(returning: true) }
        if aftermath.hasReport { core.report() }
        for effect in aftermath.effects { perform(effect) }
        guard let wake = aftermath.wake else { return }
        _ = timer.schedule(at: wake) { [weak self] in
            guard let self else { return }
            perform(core.timePassed(wake, inputs))
        }
    }

    private nonisolated func perform(_ effect: Effect) {
        switch effect {
        case .start(let flight, let isAsked):
            stayAwake()
            flight.id.run(inheriting: isAsked) { await self.run(flight) }
        case .cancel(let id): id.cancel()
        case .write: detach { await self.write(as: $0) }
        case .look:
            detach { _ in
                await self.watchStore()
                _ = await self.noticeChange(isFirst: false)
            }
        case .unlock(let id, let endsIntent):
            detach { _ in
                await self.unlock(id, endsIntent: endsIntent)
                self.core.endUnlock()
            }
        case .discard(let held): discard(typed(held).token)
        case .answer(let id, let result):
            core.willResume()
            id.answer(result)
        case .resume, .postpone, .dismissFormer: break  // Performed under the lock.
        }
    }

    private nonisolated func detach(_ body: @escaping @Sendable (RefreshID) async -> Void) {
        let id = RefreshID()
        id.run(inheriting: false) { await body(id) }
    }

    /// Asks the service to revoke a token. After the deadline nobody waits for the call, which goes on by itself.
    private nonisolated func discard(_ token: Token) {
        // Dropped when it is called, so that a call that never returns does not keep the provider.
        let end = Lock<(@Sendable () -> Void)?> { self.change { state, _ in state.leftovers.endRevocation() } }
        let (service, timer) = (service, timer)
        let entry = timer.schedule(after: policy.deadline) { end.exchange(nil)?() }
        detach { _ in
            await service.discard(token)
            timer.cancel(entry)
            end.exchange(nil)?()
        }
    }

    // MARK: - Refreshes

    /// Asks the system not to suspend the app before the new token is stored; the former one may be spent.
    ///
    /// The refresh begins even if the system grants no time.
    private nonisolated func stayAwake() {
        settings.activities?.stayAwake(for: "refreshing a token") {
            try? await self.settle(within: self.policy.deadline * 2 + self.policy.storeDeadline)
        }
    }

    private nonisolated func run(_ flight: Flight) async {
        if store != nil { await watchStore() }
        // A sign-out, another session or the end of the program may have come before this task began.
        var step = change { $0.begin(flight.id, &$1) }
        while let current = step {
            let outcome = await perform(current, of: flight.id)
            step = change { $0.advance(flight.id, outcome, &$1) }
        }
    }

    private nonisolated func perform(_ step: Exchange.Step, of id: RefreshID) async -> Exchange.Outcome {
        do {
            switch step {
            case .load, .reread, .verify: return try await load()
            case .lock: try await lock(for: id)
            case .intent(let intent): try await setIntent(intent)
            case .refresh(let held):
                let requestedAt = clock.now
                let challenge = core.read { $0.challenge }
                let token = try await callService { try await self.successor(of: held, after: challenge) }
                return .token(
                    hold(
                        token, version: held.version.next, obtainedAt: requestedAt, isFetched: held.isFetched,
                        claims: challenge?.claims, replacing: held))
            case .initial:
                let requestedAt = clock.now
                let session = core.read { $0.line.session }
                let token = try await callService { try await self.service.initialToken() }
                return .token(
                    hold(
                        token, version: TokenVersion(session: session, generation: 0), obtainedAt: requestedAt,
                        isFetched: true))
            }
            return .done
        } catch {
            return .failed(RefreshFailure(error))
        }
    }

    private nonisolated func successor(
        of held: HeldToken, after challenge: AuthenticationChallenge?
    ) async throws -> Token {
        let (service, token) = (service, typed(held).token)
        guard let challenge else { return try await service.refresh(token) }
        return try await service.refresh(token, after: challenge)
    }

    // MARK: - Sign-ins

    /// Begins a manual refresh or a sign-in, which the caller awaits if there is one.
    nonisolated func begin(
        _ id: RefreshID, isAwaited: Bool, _ body: @escaping @Sendable () async throws -> Token
    ) {
        let refusal = change { state, turn -> (any Error)? in
            // The cancellation handler may have run already.
            if isAwaited, Task.isCancelled { return CancellationError() }
            return state.beginSignIn(id, isAwaited: isAwaited, &turn)
        }
        if let refusal { return id.answer(.failure(refusal)) }
        id.run(inheriting: true) { await self.runSignIn(id, body) }
    }

    nonisolated func runSignIn(_ id: RefreshID, _ body: @Sendable () async throws -> Token) async {
        // Its caller has its answer already.
        guard core.read({ $0.signIn?.id == id }) else { return }
        let requestedAt = clock.now
        do {
            let version = TokenVersion(session: UUID.random(), generation: 0)
            let held = hold(service.completed(try await body()), version: version, obtainedAt: requestedAt)
            change { $0.signedIn(id, held, &$1) }
        } catch {
            change { $0.failSignIn(id, error, &$1) }
        }
    }

    // MARK: - The writer

    /// Saves the desired content, until nothing is left or the store fails.
    private func write(as id: RefreshID) async {
        await watchStore()
        while let job = change({ state, _ in state.beginWrite(as: id) }) {
            let written: Vault.Written
            do { written = try await bring(job) } catch { written = .failed(error) }
            if !change({ $0.endWrite(job, written, &$1) }) { return }
        }
    }

    private func bring(_ job: Vault.Job) async throws -> Vault.Written {
        let endLate = { @Sendable in self.endLate(job) }
        switch job.content {
        case .nothing:
            try await callStore { [store] in try await store?.clear() }
            return .saved
        case .token(let held, let condition):
            let stored = StoredToken(.token(typed(held).token), version: held.version, obtainedAt: held.obtainedAt)
            return try await save(stored, replacing: condition, ending: job.ends, afterwards: endLate)
        case .tombstone(let version, let obtainedAt, let condition):
            let tombstone = StoredToken<Token>(.signedOut, version: version, obtainedAt: obtainedAt)
            return try await save(tombstone, replacing: condition, ending: job.ends, afterwards: endLate)
        }
    }

    /// Ends a write that was given up and has been made after all. What siblings have changed meanwhile counts.
    private nonisolated func endLate(_ job: Vault.Job) {
        change { state, turn in
            guard state.vault.endLate(job) else { return }
            turn.perform(.look)
        }
    }

    // MARK: - Siblings

    func watchStore() async {
        guard watch == nil, store != nil else { return }
        // The store may begin a task for it, which must inherit nothing of the request that came first.
        await Task.detached { await self.beginWatch() }.value
    }

    /// Asks the store for its changes. Once it has some, it is asked no more: it may report only to who asked last.
    private func beginWatch() {
        guard watch == nil, let changes = store?.changes else { return }
        watch = Task.detached { [weak self, clock] in
            for await _ in changes {
                guard var isRead = await self?.noticeChange(isFirst: true) else { return }
                for pause in changePauses where !isRead {
                    guard (try? await clock.sleep(for: pause)) != nil,
                        let next = await self?.noticeChange(isFirst: false)
                    else { return }
                    isRead = next
                }
            }
        }
    }

    /// - Parameter isFirst: whether a removed session is not believed yet. While the files of a folder are removed one by
    ///   one, a lost folder looks so for a moment.
    /// - Returns: `false` if the store is to be read again.
    private func noticeChange(isFirst: Bool) async -> Bool {
        var isOutdated = true
        while isOutdated {
            let basis = core.read { $0.basis }
            guard case .loaded(let item, let intent, let absence) = try? await load() else { return false }
            if isFirst, item == nil, absence == .gone, core.read({ $0.held != nil }) { return false }
            isOutdated = change { state, turn in
                // A read that began before a sign-out must not undo it.
                guard state.basis == basis else { return true }
                state.noticed(item, intent, absence, &turn)
                return false
            }
        }
        return true
    }
}

/// The pauses between tries to read the store after a change. A read may fail for too many open files, for instance.
/// After 15 seconds only the next change, or the next refresh, reads the store again.
private let changePauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)]
