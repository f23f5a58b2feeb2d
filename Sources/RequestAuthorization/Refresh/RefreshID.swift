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
    func run(_ body: @escaping @Sendable () async -> Void) {
        let surrounding = Self.live + [self]
        let task = Task(priority: .userInitiated) {
            await Self.$current.withValue(surrounding) { await body() }
            contents.withLock { ($0.task, $0.hasEnded) = (nil, true) }
        }
        register(task)
    }

    /// Runs the body in a task that inherits of its creator only whom it must not wait for.
    ///
    /// It may outlive the request that caused it, whose task-local values would live as long.
    static func detach(_ body: @escaping @Sendable () async -> Void) {
        let surrounding = current
        Task.detached(priority: .userInitiated) { await $current.withValue(surrounding) { await body() } }
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
