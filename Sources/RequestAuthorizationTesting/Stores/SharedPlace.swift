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
        /// The holder comes first; the waiters follow in order of arrival.
        var queue: [Holder] = []
        var listeners: [Int: (handle: Int, continuation: AsyncStream<Void>.Continuation)] = [:]
        var subscriptions = 0
    }

    private let clock: any AuthorizationClock
    private let state: Lock<State>

    init(_ stored: StoredToken<Token>?, clock: any AuthorizationClock) {
        self.clock = clock
        state = Lock(State(stored: stored))
    }

    var kept: TokenWithIntent<Token> {
        state.withLock { TokenWithIntent($0.stored, absence: $0.absence, intent: $0.intent) }
    }

    func setIntent(_ intent: RefreshIntent?) { state.withLock { $0.intent = intent } }

    func put(_ stored: StoredToken<Token>?, absence: TokenAbsence = .gone, by handle: Int) {
        change(by: handle) { state in
            (state.stored, state.absence) = (stored, absence)
            return .saved
        }
    }

    func save(
        _ stored: StoredToken<Token>, by handle: Int, replacing condition: TokenSaveCondition,
        ending intent: RefreshIntent?
    ) -> TokenSaveResult<Token> {
        change(by: handle) { state in
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
    private func change(by handle: Int, _ body: (inout State) -> TokenSaveResult<Token>) -> TokenSaveResult<Token> {
        let (result, listeners) = state.withLock { state in
            let result = body(&state)
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

    func forget(_ handle: Int) {
        releaseAll(of: handle)
        let listeners = state.withLock { $0.listeners.values.filter { $0.handle == handle } }
        for listener in listeners { listener.continuation.finish() }
    }

    func changes(for handle: Int) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.subscriptions += 1
            state.listeners[state.subscriptions] = (handle, continuation)
            return state.subscriptions
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
        let isFirst = state.withLock { state in
            state.queue.append(holder)
            return state.queue.count == 1
        }
        if isFirst { holder.granted.fulfill() }
        let timer = Task { [clock] in
            try await clock.sleep(for: limit)
            holder.granted.fulfill(with: .failure(TokenStoreLockTimedOut(limit: limit)))
        }
        defer { timer.cancel() }
        do {
            try await holder.granted.value()
        } catch {
            release { $0.granted === holder.granted }
            throw error
        }
        return TokenStoreLock { [weak self] in self?.release { $0.granted === holder.granted } }
    }

    func releaseAll(of handle: Int) { release { $0.handle == handle } }

    /// Removes holders and waiters from the queue. The first one left then has access.
    private func release(where isGone: (Holder) -> Bool) {
        var first: Holder?
        state.withLock { state in
            state.queue.removeAll(where: isGone)
            first = state.queue.first
        }
        first?.granted.fulfill()
    }
}
