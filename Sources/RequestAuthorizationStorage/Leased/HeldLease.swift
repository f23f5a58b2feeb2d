// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A lease that is renewed until it is released, lost or deinitialized.
final class HeldLease: Sendable {
    let id: UUID
    private let store: LeasedByteStore
    private let renewal = Lock<Task<Void, Never>?>(nil)
    private let ended = Lock<(isOver: Bool, waiters: [AsyncStream<Void>.Continuation])>((false, []))

    init(_ id: UUID, of store: LeasedByteStore) { (self.id, self.store) = (id, store) }

    deinit {
        // The lock was dropped without `unlock()`.
        let last = ended.withLock { $0 }
        guard !last.isOver else { return }
        renewal.withLock { $0 }?.cancel()
        Task.detached { [id, store] in
            await store.release(id)
            for waiter in last.waiters { waiter.finish() }
        }
    }

    /// Begins to renew the lease, each third of its length (step 4).
    func renew() {
        let task = Task.detached { [weak self, id, store] in
            while (try? await store.space.clock.sleep(for: store.space.lease / 3)) != nil {
                guard self != nil, await store.renew(id) else { return }
            }
        }
        renewal.withLock { $0 = task }
        if ended.withLock({ $0.isOver }) { task.cancel() }
    }

    /// Releases the lease, unless a save has done so. A cancelled task releases it too: others wait for it.
    func end() async {
        guard !ended.withLock({ $0.isOver }) else { return }
        renewal.withLock { $0 }?.cancel()
        await Task.detached { [store, id] in await store.release(id) }.value
        isReleased()
    }

    /// Ends the renewal, and resumes those who wait for the end of the lease.
    func isReleased() {
        renewal.withLock { $0 }?.cancel()
        let waiters = ended.withLock { ended in
            ended.isOver = true
            defer { ended.waiters = [] }
            return ended.waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Returns a stream that ends when the lease has been released. It does not keep a lock that is dropped.
    func wait() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let isOver = ended.withLock { ended in
            if !ended.isOver { ended.waiters.append(continuation) }
            return ended.isOver
        }
        if isOver { continuation.finish() }
        return stream
    }
}
