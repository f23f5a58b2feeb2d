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
    private final class Waiter: Sendable {
        let end = FirstResult<Void>()
        /// There is no other reference, so the access ends when the caller drops it. The continuation does not carry it,
        /// because the resuming thread could keep a reference too long.
        let access = Lock<Access?>(nil)
    }

    private struct State {
        var waiters: [Waiter] = []
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

    /// All waits share it, because a timer for each would cost more than the lock.
    private static let timers = TimerQueue(.system)

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
        let waiter = Waiter()
        let begins = state.withLock { state in
            state.waiters.append(waiter)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if begins { queue.begin { self.attempt() } }
        let timer = Self.timers.schedule(after: limit) {
            let text = "another process has held \(self.files.lockName) for \(limit); try again"
            self.leave(waiter, TokenStoreError(.timedOut, text))
        }
        defer { Self.timers.cancel(timer) }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { waiter.end.deliver(to: $0) }
        } onCancel: {
            leave(waiter, CancellationError())
        }
        guard let access = waiter.access.exchange(nil) else { throw CancellationError() }
        return access
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

    /// Ends a wait that has no result yet.
    private func leave(_ waiter: Waiter, _ error: any Error) {
        let isWaiting = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
            state.waiters.remove(at: index)
            return true
        }
        if isWaiting { waiter.end.land(.failure(error)) }
    }

    /// Tries to acquire the lock for the next waiter, if there is one.
    private func next() { if isAwaited() { queue.begin { self.attempt() } } }

    private func isAwaited() -> Bool {
        let (isAwaited, listener) = state.withLock { state -> (Bool, Int?) in
            state.isBusy = !state.waiters.isEmpty
            guard !state.isBusy else { return (true, nil) }
            defer { state.listener = nil }
            return (false, state.listener)
        }
        if let listener { watch.leave(files.lockName, listener) }
        return isAwaited
    }

    /// Tries to acquire the lock for the first waiter, and ends its wait with access or an error.
    ///
    /// - Parameter failures: the number of failed tries.
    private func attempt(after failures: Int = 0) {
        guard isAwaited() else { return }
        let result: Result<OpenFile, any Error>
        do {
            guard let file = try files.naming("take exclusive access", { try files.tryLock() }) else {
                // A release before the listener began is not reported, so try once more.
                return beginsToListen() ? attempt(after: failures) : pause(after: failures)
            }
            result = .success(file)
        } catch {
            result = .failure(error)
        }
        let waiter = state.withLock { state -> Waiter? in state.waiters.isEmpty ? nil : state.waiters.removeFirst() }
        guard let waiter else { return next() }
        switch result {
        case .success(let file):
            waiter.access.withLock { $0 = Access(file, of: self) }
            waiter.end.land(.success(()))
        case .failure(let error):
            waiter.end.land(.failure(error))
            next()
        }
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
        let pause = state.withLock { state in
            defer { state.pause = nil }
            return state.pause
        }
        if let pause { attempt(after: pause.failures) }
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
