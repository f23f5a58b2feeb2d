// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The shared content of all handles of an `InMemorySharedTokenStore`.
final class SharedPlace<Token: AuthorizationToken>: Sendable {
    /// The holder of exclusive access, or a waiter for it.
    private struct Holder: Sendable {
        let handle: Int
        let granted: OneShot<Void>
    }

    private struct State: Sendable {
        var stored: StoredToken<Token>?
        var absence = TokenAbsence.gone
        var intent: RefreshIntent?
        var handles = 0
        /// The handles whose processes have ended.
        var crashed: Set<Int> = []
        /// The holder comes first; the waiters follow in order of arrival.
        var queue: [Holder] = []
        var listeners: [Int: (handle: Int, continuation: AsyncStream<Void>.Continuation)] = [:]
        var subscriptions = 0

        var contents: TokenWithIntent<Token> { TokenWithIntent(stored, absence: absence, intent: intent) }

        func requireAlive(_ handle: Int) throws {
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
    func lose(_ absence: TokenAbsence, by handle: Int) {
        change(by: handle) { state in
            (state.stored, state.absence) = (nil, absence)
            // An intent is at the same place.
            if absence == .placeMissing { state.intent = nil }
            return .saved
        }
    }

    func load(by handle: Int) throws -> TokenWithIntent<Token> {
        try state.withLock { state in
            try state.requireAlive(handle)
            return state.contents
        }
    }

    func setIntent(_ intent: RefreshIntent?, by handle: Int) throws {
        try state.withLock { state in
            try state.requireAlive(handle)
            state.intent = intent
        }
    }

    func put(_ stored: StoredToken<Token>?, by handle: Int) throws {
        try change(by: handle) { state in
            try state.requireAlive(handle)
            (state.stored, state.absence) = (stored, .gone)
            return .saved
        }
    }

    func save(
        _ stored: StoredToken<Token>, by handle: Int, replacing condition: TokenSaveCondition,
        ending intent: RefreshIntent?
    ) throws -> TokenSaveResult<Token> {
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
        by handle: Int, _ body: (inout State) throws(Failure) -> TokenSaveResult<Token>
    ) throws(Failure) -> TokenSaveResult<Token> {
        let (result, listeners) = try state.withLock { state throws(Failure) in
            let result = try body(&state)
            guard case .saved = result else { return (result, [AsyncStream<Void>.Continuation]()) }
            return (result, state.listeners.values.filter { $0.handle != handle }.map(\.continuation))
        }
        for listener in listeners { listener.yield() }
        return result
    }

    // MARK: Handles

    func register() -> Int {
        state.withLock { state in
            state.handles += 1
            return state.handles
        }
    }

    /// Ends the process of a handle.
    func crash(_ handle: Int) {
        state.withLock { _ = $0.crashed.insert(handle) }
        forget(handle)
    }

    func forget(_ handle: Int) {
        releaseAll(of: handle)
        let listeners = state.withLock { $0.listeners.values.filter { $0.handle == handle } }
        for listener in listeners { listener.continuation.finish() }
    }

    func changes(for handle: Int) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard !state.crashed.contains(handle) else { return nil }
            state.subscriptions += 1
            state.listeners[state.subscriptions] = (handle, continuation)
            return state.subscriptions
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    // MARK: Exclusive access

    func lock(within limit: Duration, for handle: Int) async throws -> TokenStoreLock {
        try Task.checkCancellation()
        let holder = Holder(handle: handle, granted: OneShot())
        let isFirst = try state.withLock { state in
            try state.requireAlive(handle)
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
                holder.granted.fulfill(with: .failure(TokenStoreLockTimedOut(limit: limit)))
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

    private func releaseAll(of handle: Int) { release { $0.handle == handle } }

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
