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
        let continuation: UnsafeContinuation<OpenFile, any Error>
    }

    private struct State {
        var waiters: [Waiter] = []
        /// Those who left before they had come to wait.
        var gone: [Int: any Error] = [:]
        /// Those who have not been answered.
        var open: Set<Int> = []
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
        let id = state.withLock { state in
            state.count += 1
            state.open.insert(state.count)
            return state.count
        }
        let timer = Task { [files] in
            try await Task.sleep(for: limit)
            leave(id, TokenStoreError(.timedOut, "another process has kept \(files.stem).lock for \(limit); try again"))
        }
        defer {
            timer.cancel()
            state.withLock { state in
                state.open.remove(id)
                state.gone[id] = nil
            }
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { enter(Waiter(id: id, continuation: $0)) }
        } onCancel: {
            leave(id, CancellationError())
        }
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
                if state.open.contains(id) { state.gone[id] = error }
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }

    /// Takes the lock for one after the other, as long as somebody waits.
    private func serve() {
        while isAwaited() {
            let result = Result { try take() }
            let waiter = state.withLock { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() }
            waiter?.continuation.resume(with: result.mapError { $0 })
        }
    }

    private func isAwaited() -> Bool {
        state.withLock { state in
            if state.waiters.isEmpty { state.isAcquiring = false }
            return state.isAcquiring
        }
    }

    private func take() throws -> OpenFile {
        while true {
            let file = try files.naming("take exclusive access") { try files.openLock() }
            if try !file.lock(waits: false) { _ = try file.lock(waits: true) }
            // Who removed the folder while we waited made others lock another file.
            if try files.isCurrent(file) { return file }
        }
    }
}
