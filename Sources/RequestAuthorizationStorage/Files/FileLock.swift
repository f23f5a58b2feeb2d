// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import RequestAuthorization

/// Exclusive access to a credential, by `flock` on a file that is never deleted.
///
/// The kernel takes it back when its holder dies, and each holder has the file open by itself, so that it also excludes
/// others in this process. At most one thread waits in the kernel; those who wait here are served in order of arrival, and
/// leave at once when their time is over.
final class FileLock: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: UnsafeContinuation<Void, any Error>
    }

    private struct State {
        var waiters: [Waiter] = []
        /// Those who left before they had come to wait.
        var gone: [Int: any Error] = [:]
        /// What was taken for those who have been resumed. Nothing else holds it: the access ends when they let go of it.
        var taken: [Int: Result<OpenFile, any Error>] = [:]
        /// Those who have not been answered, and when their time is over.
        var open: [Int: End] = [:]
        /// When somebody looks next whose time is over.
        var nextLook: ContinuousClock.Instant?
        var isAcquiring = false
        var count = 0
    }

    private let files: CredentialFiles
    private let state = Lock(State())
    private let queue = BlockingQueue("lock")

    init(_ files: CredentialFiles) { self.files = files }

    /// - Returns: the file; the access ends when it is closed.
    func acquire(within limit: Duration) async throws -> OpenFile {
        try Task.checkCancellation()
        let id = open(within: limit)
        defer {
            state.withLock { state in
                state.open[id] = nil
                state.gone[id] = nil
            }
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { enter(Waiter(id: id, continuation: $0)) }
        } onCancel: {
            leave(id, CancellationError())
        }
        guard let taken = state.withLock({ $0.taken.removeValue(forKey: id) }) else { throw CancellationError() }
        return try taken.get()
    }

    // MARK: -

    private func enter(_ waiter: Waiter) {
        let (error, begins) = state.withLock { state -> ((any Error)?, Bool) in
            if let error = state.gone[waiter.id] { return (error, false) }
            state.waiters.append(waiter)
            defer { state.isAcquiring = true }
            return (nil, !state.isAcquiring)
        }
        if let error { waiter.continuation.resume(throwing: error) }
        if begins { queue.queue.async { self.serve() } }
    }

    private func leave(_ id: Int, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                if state.open[id] != nil { state.gone[id] = error }
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }

    /// Takes the lock for one after the other, as long as somebody waits.
    private func serve() {
        while isAwaited() { takeForNext()?.continuation.resume() }
    }

    /// - Returns: the waiter that has the lock, or the error, now. The file is not handed on by the continuation: a thread that
    ///   resumes it could hold the file for a moment longer than the one that gives the access up.
    private func takeForNext() -> Waiter? {
        let result = Result { try files.naming("take exclusive access") { try files.lock() } }
        return state.withLock { state in
            guard !state.waiters.isEmpty else { return nil }
            let waiter = state.waiters.removeFirst()
            state.taken[waiter.id] = result
            return waiter
        }
    }

    private func isAwaited() -> Bool {
        state.withLock { state in
            if state.waiters.isEmpty { state.isAcquiring = false }
            return state.isAcquiring
        }
    }
}

// MARK: - Deadlines

extension FileLock {
    private struct End {
        let time: ContinuousClock.Instant
        let limit: Duration
    }

    /// Begins a wait. The timer of an earlier one serves it too: to start and stop one each time takes longer than the lock.
    private func open(within limit: Duration) -> Int {
        let end = End(time: .now + limit, limit: limit)
        let (id, isFirst) = state.withLock { state in
            state.count += 1
            state.open[state.count] = end
            let isFirst = state.nextLook.map { end.time < $0 } ?? true
            if isFirst { state.nextLook = end.time }
            return (state.count, isFirst)
        }
        if isFirst { look(at: end.time) }
        return id
    }

    /// Ends the waits whose time is over, and looks again when the next one's is.
    private func look(at time: ContinuousClock.Instant) {
        Task { [weak self] in
            try await Task.sleep(until: time, clock: .continuous)
            self?.endWaits(at: time)
        }
    }

    private func endWaits(at time: ContinuousClock.Instant) {
        let (over, next) = state.withLock { state -> ([Int: End], ContinuousClock.Instant?) in
            let over = state.open.filter { $0.value.time <= time }
            let next = state.open.values.map(\.time).filter { $0 > time }.min()
            // Not if somebody with less time has come: their look takes care of the rest.
            guard state.nextLook == time else { return (over, nil) }
            state.nextLook = next
            return (over, next)
        }
        for (id, end) in over {
            leave(
                id,
                TokenStoreError(.timedOut, "another process has kept \(files.stem).lock for \(end.limit); try again"))
        }
        if let next { look(at: next) }
    }
}
