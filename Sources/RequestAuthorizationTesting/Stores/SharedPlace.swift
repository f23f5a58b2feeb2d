// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The shared content of all handles of an `InMemorySharedTokenStore`.
final class SharedPlace<Token: AuthorizationToken>: Sendable {
    /// The holder of exclusive access, or a waiter for it.
    struct Holder: Sendable {
        let handle: UUID
        let granted: OneShot<Void>
    }

    struct State: Sendable {
        var stored: StoredToken<Token>?
        var absence = TokenAbsence.gone
        var intent: RefreshIntent?
        /// The handles whose processes have ended.
        var crashed: Set<UUID> = []
        /// The holder comes first; the waiters follow in order of arrival.
        var queue: [Holder] = []
        var listeners: [UUID: (handle: UUID, continuation: AsyncStream<Void>.Continuation)] = [:]

        var contents: TokenWithIntent<Token> { TokenWithIntent(stored, absence: absence, intent: intent) }

        fileprivate func requireAlive(_ handle: UUID) throws {
            guard crashed.contains(handle) else { return }
            throw TokenStoreError(.unavailable, "the process of this handle has crashed; make another with sibling()")
        }
    }

    private let clock: any AuthorizationClock
    private let state: Lock<State>

    init(_ stored: StoredToken<Token>?, clock: any AuthorizationClock) {
        self.clock = clock
        state = Lock(State(stored: stored))
    }

    var kept: TokenWithIntent<Token> { state.withLock { $0.contents } }

    /// Loses the content, also that of a handle whose process has ended.
    func lose(_ absence: TokenAbsence, by handle: UUID) {
        change(by: handle) { state in
            (state.stored, state.absence) = (nil, absence)
            // An intent is at the same place.
            if absence == .placeMissing { state.intent = nil }
            return .saved
        }
    }

    /// Reads or changes the state for a handle whose process has not ended.
    func access<Result>(by handle: UUID, _ body: (inout State) -> Result) throws -> Result {
        try state.withLock { state in
            try state.requireAlive(handle)
            return body(&state)
        }
    }

    func put(_ stored: StoredToken<Token>?, by handle: UUID) throws {
        try change(by: handle) { state in
            try state.requireAlive(handle)
            (state.stored, state.absence) = (stored, .gone)
            return .saved
        }
    }

    func save(
        _ stored: StoredToken<Token>, by handle: UUID, replacing condition: TokenSaveCondition,
        ending intent: RefreshIntent?
    ) throws -> SaveResult<StoredToken<Token>> {
        try change(by: handle) { state in
            try state.requireAlive(handle)
            guard condition.allows(stored, over: state.stored, absence: state.absence) else {
                return .refused(state.stored)
            }
            (state.stored, state.absence) = (stored, .gone)
            if intent != nil, state.intent == intent { state.intent = nil }
            return .saved
        }
    }

    /// Performs a change, and notifies the other handles unless it was refused.
    @discardableResult
    private func change<Failure>(
        by handle: UUID, _ body: (inout State) throws(Failure) -> SaveResult<StoredToken<Token>>
    ) throws(Failure) -> SaveResult<StoredToken<Token>> {
        let (former, result, listeners) = try state.withLock { state throws(Failure) in
            let former = state.stored
            let result = try body(&state)
            guard case .saved = result else { return (former, result, [AsyncStream<Void>.Continuation]()) }
            return (former, result, state.listeners.values.filter { $0.handle != handle }.map(\.continuation))
        }
        withExtendedLifetime(former) {}  // It is released outside the lock: it may be a user's object.
        for listener in listeners { listener.yield() }
        return result
    }

    // MARK: Handles

    /// Ends the process of a handle.
    func crash(_ handle: UUID) {
        state.withLock { _ = $0.crashed.insert(handle) }
        forget(handle)
    }

    func forget(_ handle: UUID) {
        release { $0.handle == handle }
        let listeners = state.withLock { $0.listeners.values.filter { $0.handle == handle } }
        for listener in listeners { listener.continuation.finish() }
    }

    func changes(for handle: UUID) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        let listening: Void? = try? access(by: handle) { $0.listeners[id] = (handle, continuation) }
        if listening == nil { continuation.finish() }
        return stream
    }

    // MARK: Exclusive access

    func lock(within limit: Duration, for handle: UUID) async throws -> TokenStoreLock {
        try Task.checkCancellation()
        let holder = Holder(handle: handle, granted: OneShot())
        let isFirst = try access(by: handle) { state in
            state.queue.append(holder)
            return state.queue.count == 1
        }
        if isFirst { holder.granted.fulfill() }
        // Without a wait nothing sleeps that a test could take for something else.
        let timer: Task<Void, any Error>? =
            isFirst
            ? nil
            : Task { [clock] in
                try await clock.sleep(for: limit)
                let detail = "no exclusive access within \(limit); find out who holds it, or wait longer"
                holder.granted.fulfill(with: .failure(TokenStoreError(.timedOut, detail)))
            }
        defer { timer?.cancel() }
        do {
            try await holder.granted.value()
        } catch {
            release { $0.granted === holder.granted }
            throw error
        }
        return TokenStoreLock { [weak self] in self?.release { $0.granted === holder.granted } }
    }

    /// Removes holders and waiters from the queue, and cancels the waiters. The first one left then has access.
    private func release(where isGone: (Holder) -> Bool) {
        let (gone, first) = state.withLock { state in
            let gone = state.queue.filter(isGone)
            state.queue.removeAll(where: isGone)
            return (gone, state.queue.first)
        }
        for waiter in gone { waiter.granted.fulfill(with: .failure(CancellationError())) }
        first?.granted.fulfill()
    }
}
