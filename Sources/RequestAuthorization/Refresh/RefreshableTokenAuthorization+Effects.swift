// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Performs what the state decides: tasks, and calls of the service and of the store.
extension RefreshableTokenAuthorization {
    nonisolated var inputs: Turn.Inputs { Turn.Inputs(now: clock.moment, random: random(), owner: self) }

    /// Performs a transition of the state, then its effects outside the lock.
    @discardableResult
    nonisolated func change<Result>(_ body: (inout RefreshState, inout Turn) -> Result) -> Result {
        let (result, aftermath) = core.change(inputs, body)
        perform(aftermath)
        return result
    }

    nonisolated func perform(_ aftermath: Aftermath) {
        for deliver in aftermath.deliveries { deliver() }
        if !aftermath.resumptions.isEmpty { core.willResume() }
        for resumption in aftermath.resumptions { resumption.perform() }
        aftermath.report?.deliver()
        for effect in aftermath.effects { perform(effect) }
        guard let wake = aftermath.wake else { return }
        _ = timer.schedule(at: wake) { [weak self] in
            guard let self else { return }
            perform(core.timePassed(inputs))
        }
    }

    private nonisolated func perform(_ effect: Effect) {
        switch effect {
        case .start(let flight):
            stayAwake()
            core.expectTask(of: flight.id)
            launch(flight.id) { await self.run(flight) }
        case .cancel(let id): core.cancelTask(of: id)
        case .write: Task { await self.write() }
        case .unlock(let id, let endsIntent): Task { await self.unlock(id, endsIntent: endsIntent) }
        case .discard(let held, let number):
            let token = typed(held).token
            Task {
                await self.service.discard(token)
                change { state, _ in state.discarded(number) }
            }
        case .settled(let numbers): settling.resume(numbers)
        case .resume, .dismissFormer, .answer: break  // Performed under the lock.
        }
    }

    /// Returns the token with the type that only this provider knows.
    ///
    /// The downcast is safe: all tokens of the provider are made by ``hold(_:version:obtainedAt:)`` and ``item(_:)``.
    nonisolated func typed(_ held: HeldToken) -> TypedToken<Token> { unsafeDowncast(held, to: TypedToken<Token>.self) }

    nonisolated func hold(_ token: Token, version: TokenVersion, obtainedAt: Date) -> TypedToken<Token> {
        TypedToken(
            token, proof: Self.proof(for: token, by: service, keptIn: store), version: version, obtainedAt: obtainedAt,
            policy: policy, random: random(), link: link)
    }

    /// Returns the proof for requests with a token, or the error why the token must not be used.
    static func proof(
        for token: Token, by service: any RefreshableTokenService<Token>, keptIn store: (any TokenStore<Token>)?
    ) -> Result<(any RequestProof)?, any Error> {
        Result {
            if token.isBoundToDevice, store?.isSharedBetweenDevices == true {
                throw NotAuthorized(
                    .malformedCredential,
                    detail:
                        "its key cannot leave this device, and the store is shared with others: choose another key or store"
                )
            }
            return try service.proof(for: token)
        }
    }

    // MARK: - Refreshes

    /// Runs a refresh in a task of its own. Its priority does not depend on the request that began it.
    private nonisolated func launch(_ id: RefreshID, _ body: @escaping @Sendable () async -> Void) {
        let name = SurroundingRefresh(id)
        let surrounding = SurroundingRefresh.live + [name]
        let task = Task(priority: .userInitiated) {
            await SurroundingRefresh.$current.withValue(surrounding) { await body() }
            name.end()
            core.forgetTask(of: id)
        }
        core.register(task, for: id)
    }

    /// Asks the system not to suspend the app before the new token is stored; the former one may be spent.
    ///
    /// The refresh begins even if the system grants no time.
    private nonisolated func stayAwake() {
        activities?.stayAwake(for: "refreshing a token") {
            try? await self.settle(within: self.policy.deadline * 2 + self.policy.storeDeadline)
        }
    }

    private nonisolated func run(_ flight: RefreshState.Flight) async {
        var step: RefreshState.Step? = flight.step
        while let current = step {
            let outcome = await perform(current, of: flight.id)
            step = change { $0.advance(flight.id, outcome, &$1) }
        }
    }

    private nonisolated func perform(_ step: RefreshState.Step, of id: RefreshID) async -> RefreshState.Outcome {
        do {
            switch step {
            case .load, .reread, .verify: return try await load()
            case .lock: try await lock(for: id)
            case .intent(let intent): try await setIntent(intent)
            case .refresh(let held):
                let requestedAt = clock.now
                let token = try await callService { try await self.service.refresh(self.typed(held).token) }
                return .token(hold(token, version: held.version.next, obtainedAt: requestedAt))
            case .initial:
                let requestedAt = clock.now
                let session = core.read { $0.session }
                let token = try await callService { try await self.service.initialToken() }
                return .token(
                    hold(token, version: TokenVersion(session: session, generation: 0), obtainedAt: requestedAt))
            case .save: break
            }
            return .done
        } catch {
            return .failed(RefreshFailure(error))
        }
    }

    // MARK: - Manual refreshes

    /// Begins a manual refresh, which the waiter awaits if there is one. Returns the error if it cannot begin.
    nonisolated func begin(
        _ id: RefreshID, waiter: ProviderCore.Continuation?, _ body: @escaping @Sendable () async throws -> Token
    ) -> (any Error)? {
        core.await(id, waiter)
        core.expectTask(of: id)
        let refusal = change { state, turn -> (any Error)? in
            // The cancellation handler may have run already.
            if waiter != nil, Task.isCancelled { return CancellationError() }
            return state.beginManual(id, isAwaited: waiter != nil, &turn)
        }
        if refusal == nil {
            launch(id) { await self.runManual(id, body) }
        } else {
            core.await(id, nil)
            core.forgetTask(of: id)
        }
        return refusal
    }

    private nonisolated func runManual(_ id: RefreshID, _ body: @Sendable () async throws -> Token) async {
        let requestedAt = clock.now
        do {
            let version = TokenVersion(session: UUID(), generation: 0)
            let held = hold(try await body(), version: version, obtainedAt: requestedAt)
            change { $0.manualSucceeded(id, held, &$1) }
        } catch {
            change { $0.manualFailed(id, error, &$1) }
        }
    }

    // MARK: - The writer

    /// Saves the desired content, until nothing is left or the store fails.
    private func write() async {
        while let job = change({ state, _ in state.beginWrite() }) {
            let written: RefreshState.Written
            do { written = try await bring(job) } catch { written = .failed(error) }
            if !change({ $0.endWrite(job, written, &$1) }) { return }
        }
    }

    private func bring(_ job: RefreshState.WriterJob) async throws -> RefreshState.Written {
        let (store, shared) = (store, sharedStore)
        switch job.content {
        case .clear:
            try await callStore { try await store?.clear() }
            return .saved
        case .save(let held, let condition):
            return try await save(stored(held), replacing: condition, ending: job.ends)
        case .signOut(let version, let obtainedAt, let condition):
            let tombstone = StoredToken<Token>(.signedOut, version: version, obtainedAt: obtainedAt)
            guard shared != nil else { return .saved }
            return try await save(tombstone, replacing: condition, ending: job.ends)
        }
    }

    private func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> RefreshState.Written {
        let (store, shared) = (store, sharedStore)
        let result = try await callStore { () -> TokenSaveResult<Token> in
            if let shared { return try await shared.save(stored, replacing: condition, ending: intent) }
            try await store?.save(stored)
            return .saved
        }
        return switch result {
        case .saved: .saved
        case .refused(let stored): .refused(stored.map(item))
        }
    }
}

extension TokenVersion {
    fileprivate var next: TokenVersion { TokenVersion(session: session, generation: generation + 1) }
}
