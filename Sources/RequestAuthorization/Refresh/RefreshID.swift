// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A refresh, a manual refresh or a sign-in: its identity, its task, and the caller that awaits it.
final class RefreshID: Sendable {
    private struct Contents {
        var task: Task<Void, Never>?
        var caller: WaitingRequest.Continuation?
        var isCancelled = false
        var hasEnded = false
    }

    private let contents = Lock(Contents())

    /// Sets the caller that awaits the outcome.
    func expect(_ caller: WaitingRequest.Continuation) { contents.withLock { $0.caller = caller } }

    /// Runs the body in a task of its own. The priority does not depend on who has begun it.
    ///
    /// - Parameter inherits: whether it has the task-local values of the current task. If not, it has of them only whom it
    ///   must not wait for: it may outlive the request that has caused it, whose values would live as long.
    func run(inheriting inherits: Bool, _ body: @escaping @Sendable () async -> Void) {
        let surrounding = Self.live + [self]
        let work = { @Sendable in
            await Self.$current.withValue(surrounding) { await body() }
            self.contents.withLock { ($0.task, $0.hasEnded) = (nil, true) }
        }
        register(
            inherits
                ? Task(priority: .userInitiated, operation: work)
                : Task.detached(priority: .userInitiated, operation: work))
    }

    /// Registers the task. It may have ended, or have been cancelled, by now.
    func register(_ task: Task<Void, Never>) {
        let isCancelled = contents.withLock { contents in
            if !contents.hasEnded { contents.task = task }
            return contents.isCancelled && !contents.hasEnded
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        contents.withLock { contents in
            contents.isCancelled = true
            return contents.task
        }?.cancel()
    }

    /// Resumes the caller, once.
    func answer(_ result: Result<HeldToken, any Error>) {
        contents.withLock { contents in
            defer { contents.caller = nil }
            return contents.caller
        }?.resume(with: result)
    }

    // MARK: The service's own requests

    /// The refreshes in whose service calls the current task runs. It must not wait for any of them.
    ///
    /// Tasks that the service leaves running keep the value. So it is asked whether each refresh has ended.
    @TaskLocal static var current: [RefreshID] = []

    /// The elements of ``current`` that have not ended.
    static var live: [RefreshID] { current.filter { !$0.contents.withLock { $0.hasEnded } } }
}

extension RefreshID: Hashable {
    static func == (left: RefreshID, right: RefreshID) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
