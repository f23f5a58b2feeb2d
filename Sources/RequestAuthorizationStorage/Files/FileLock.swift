// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Exclusive access to a credential, by `flock` on a file.
///
/// The kernel releases the lock when its holder dies. Each holder opens the file separately, so that the lock also
/// excludes others in this process.
///
/// No thread blocks in the kernel. The lock is tried again when the folder's watch reports its release, and after the
/// pauses of ``LockPace``, because nothing reports that a holder died. Waiters of this process are served in order of
/// arrival. Each fails as soon as its limit is over.
final class FileLock: Sendable {
    private struct Waiter {
        let id: Int
        let end: ContinuousClock.Instant
        let limit: Duration
        /// Lands when there is a result, or when the waiter gives up.
        let turn: FirstResult<Void>
    }

    private struct State {
        var waiters: [Waiter] = []
        /// The results of resumed waiters. There is no other reference, so the access ends when the waiter drops it.
        var taken: [Int: Result<Access, any Error>] = [:]
        /// The next time at which deadlines are checked.
        var nextLook: ContinuousClock.Instant?
        /// Whether this process has the lock, or a try is under way or scheduled.
        var isBusy = false
        /// The pause before the next try, and the number of failed tries.
        var pause: (number: Int, failures: Int)?
        /// Listens for the release of the lock by siblings.
        var listener: Int?
        var count = 0
    }

    private let files: CredentialFiles
    private let state = Lock(State())
    private let queue: any FileQueue
    private let watch: FolderWatch
    private let onEnd: @Sendable () -> Void

    /// - Parameters:
    ///   - queue: opens the file.
    ///   - watch: watches the folder.
    ///   - onEnd: called on deinitialization.
    init(_ files: CredentialFiles, on queue: any FileQueue, watch: FolderWatch, onEnd: @escaping @Sendable () -> Void) {
        (self.files, self.queue, self.watch, self.onEnd) = (files, queue, watch, onEnd)
    }

    deinit {
        // The last wait has timed out, and nobody has tried since.
        if let listener = state.withLock({ $0.listener }) { watch.leave(files.lockName, listener) }
        onEnd()
    }

    /// - Returns: the access, which ends when the last reference is released.
    func acquire(within limit: Duration) async throws -> Access {
        try Task.checkCancellation()
        let waiter = enter(within: limit)
        let id = waiter.id
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { waiter.turn.deliver(to: $0) }
        } onCancel: {
            leave(id, CancellationError())
        }
        guard let taken = state.withLock({ $0.taken.removeValue(forKey: id) }) else { throw CancellationError() }
        return try taken.get()
    }

    /// Holds the lock until it is deinitialized.
    final class Access: Sendable {
        private let file: OpenFile
        private let lock: FileLock

        fileprivate init(_ file: OpenFile, of lock: FileLock) { (self.file, self.lock) = (file, lock) }

        deinit {
            file.unlock()
            lock.next()
        }
    }

    // MARK: -

    /// Begins a wait. Waits share one timer, because a timer for each would cost more than the lock.
    private func enter(within limit: Duration) -> Waiter {
        let end = ContinuousClock.now + limit.saturated
        let (waiter, isFirst, begins) = state.withLock { state -> (Waiter, Bool, Bool) in
            state.count += 1
            let waiter = Waiter(id: state.count, end: end, limit: limit, turn: FirstResult())
            state.waiters.append(waiter)
            let isFirst = state.nextLook.map { end < $0 } ?? true
            if isFirst { state.nextLook = end }
            defer { state.isBusy = true }
            return (waiter, isFirst, !state.isBusy)
        }
        if isFirst { look(at: end) }
        if begins { queue.begin { self.attempt() } }
        return waiter
    }

    private func leave(_ id: Int, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.turn.land(.failure(error))
    }

    /// Tries to acquire the lock for the next waiter, if there is one.
    private func next() { if isAwaited() { queue.begin { self.attempt() } } }

    private func isAwaited() -> Bool {
        let (isAwaited, listener) = state.withLock { state -> (Bool, Int?) in
            state.isBusy = !state.waiters.isEmpty
            guard !state.isBusy else { return (true, nil) }
            return (false, state.listener.take())
        }
        if let listener { watch.leave(files.lockName, listener) }
        return isAwaited
    }

    /// Tries to acquire the lock for the first waiter, and stores its access or error in the state.
    ///
    /// - Parameter failures: the number of failed tries.
    private func attempt(after failures: Int = 0) {
        guard isAwaited() else { return }
        let result: Result<OpenFile, any Error>
        do {
            guard let file = try files.folder.naming("take exclusive access", { try files.tryLock() }) else {
                // A release before the listener began is not reported, so try once more.
                return beginsToListen() ? attempt(after: failures) : pause(after: failures)
            }
            result = .success(file)
        } catch {
            result = .failure(error)
        }
        let waiter = state.withLock { state -> Waiter? in
            guard !state.waiters.isEmpty else { return nil }
            let waiter = state.waiters.removeFirst()
            // The turn does not carry the access, because the resuming thread could keep a reference too long.
            state.taken[waiter.id] = result.map { Access($0, of: self) }
            return waiter
        }
        waiter?.turn.land(.success(()))
        guard waiter != nil else { return next() }
        if case .failure = result { next() }
    }

    private func pause(after failures: Int) {
        let number = state.withLock { state in
            state.count += 1
            state.pause = (state.count, failures + 1)
            return state.count
        }
        let isWaitedFor = { @Sendable [weak self] in self?.state.withLock { $0.pause?.number == number } ?? false }
        LockPace.again(after: failures, on: queue, if: isWaitedFor) { [weak self] in
            if isWaitedFor() { self?.endPause() }
        }
    }

    /// Tries again, unless the pause has already ended.
    private func endPause() {
        if let pause = state.withLock({ $0.pause.take() }) { attempt(after: pause.failures) }
    }

    /// - Returns: `false` if the lock has a listener already.
    private func beginsToListen() -> Bool {
        guard state.withLock({ $0.listener == nil }) else { return false }
        let listener = watch.listen(to: files.lockName) { [weak self] in
            guard let self else { return }
            queue.begin {
                if self.state.withLock({ $0.pause != nil }), LockPace.isDue() { self.endPause() }
            }
        }
        state.withLock { $0.listener = listener }
        return true
    }
}

// MARK: - Deadlines

extension FileLock {
    /// Checks the deadlines at a time.
    private func look(at time: ContinuousClock.Instant) {
        // It outlives the wait, and keeps no task-local values of who waited.
        Task.detached { [weak self] in
            try await Task.sleep(until: time, clock: .continuous)
            self?.endWaits(at: time)
        }
    }

    private func endWaits(at time: ContinuousClock.Instant) {
        let (over, next) = state.withLock { state in
            let over = state.waiters.filter { $0.end <= time }
            let next = state.waiters.map(\.end).filter { $0 > time }.min()
            // A wait with an earlier deadline has scheduled the next check.
            guard state.nextLook == time else { return (over, ContinuousClock.Instant?.none) }
            state.nextLook = next
            return (over, next)
        }
        for waiter in over {
            let reason = "another process has held \(files.stem).lock for \(waiter.limit); try again"
            leave(waiter.id, TokenStoreError(.timedOut, reason))
        }
        if let next { look(at: next) }
    }
}
