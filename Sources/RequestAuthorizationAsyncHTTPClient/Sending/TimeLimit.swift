// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
/// Limits the time of a provider: after the deadline it throws the error that the client's own calls throw.
struct TimeLimit {
    let deadline: NIODeadline
    let eventLoops: any EventLoopGroup

    /// Cancels the operation at the deadline. Providers end at once when they are cancelled.
    func callAsFunction<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let progress = Lock(Progress.running)
        let task = Task.startingHere {
            defer { progress.withLock { if $0 == .running { $0 = .done } } }
            return try await operation()
        }
        // In the common case the credential is there already, and no timer is needed.
        if progress.withLock({ $0 }) == .done { return try await task.value }
        let timer = eventLoops.any().scheduleTask(deadline: deadline) {
            let isLate = progress.withLock { progress in
                if progress == .running { progress = .late }
                return progress == .late
            }
            if isLate { task.cancel() }
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where progress.withLock({ $0 }) == .late {
            throw HTTPClientError.deadlineExceeded
        }
    }
}

private enum Progress {
    case running, done, late
}

extension Task where Failure == any Error {
    /// Runs the operation on the current thread until it first suspends, where the system can do that.
    fileprivate static func startingHere(_ operation: @escaping @Sendable () async throws -> Success) -> Task {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { try await operation() }
        } else {
            Task { try await operation() }
        }
    }
}
#endif
