// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A result that is set once, and its waiters.
///
/// Later callers get the result at once. Waiters resume in order of arrival.
package final class OneShot<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var result: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var arrivals = 0
    }

    private let state = Lock(State())

    package init() {}

    package var isFulfilled: Bool { state.withLock { $0.result != nil } }

    /// Sets the result, unless there is one.
    ///
    /// - Returns: `false` if there was a result already.
    @discardableResult
    package func fulfill(with result: Result<Value, any Error>) -> Bool {
        let waiters: [CheckedContinuation<Value, any Error>]? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiters = [:] }
            return state.waiters.sorted { $0.key < $1.key }.map(\.value)
        }
        waiters?.forEach { $0.resume(with: result) }
        return waiters != nil
    }

    /// Waits for the result.
    ///
    /// - Throws: the failure, if the result is one; `CancellationError` as soon as the task is cancelled.
    package func value() async throws -> Value {
        let id = arrive()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(continuation, as: id)
                // A cancellation before `add` found no waiter to resume.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Waits for the result. Returns a `CancellationError` as soon as the task is cancelled.
    package func result() async -> Result<Value, any Error> {
        do { return .success(try await value()) } catch { return .failure(error) }
    }

    /// Waits for the result and ignores the cancellation of the task.
    package func valueIgnoringCancellation() async throws -> Value {
        let id = arrive()
        return try await withCheckedThrowingContinuation { add($0, as: id) }
    }

    private func arrive() -> Int {
        state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
    }

    private func add(_ continuation: CheckedContinuation<Value, any Error>, as id: Int) {
        let result = state.withLock { state in
            if state.result == nil { state.waiters[id] = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    private func cancel(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }
}

extension OneShot<Void> {
    /// Resumes all waiters.
    @discardableResult
    package func fulfill() -> Bool { fulfill(with: .success(())) }
}
