// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Runs calls concurrently up to a limit, and abandons calls that do not end.
///
/// A task group would wait for a call that hangs. Here such a call counts as lost.
struct RunningCalls: ~Copyable {
    private(set) var tally = CallTally()
    private var running = 0
    private var ends: AsyncStream<(CallEnd, Duration)>.AsyncIterator
    private let end: AsyncStream<(CallEnd, Duration)>.Continuation
    private let watchdog: Task<Void, Never>
    private let limit: Int
    private let progress: @Sendable (_ ended: Int) -> Void

    /// - Parameters:
    ///   - limit: the largest number of concurrent calls.
    ///   - patience: the time after which all waits end.
    ///   - progress: called with the number of calls that have ended.
    init(limit: Int, patience: Duration, progress: @escaping @Sendable (_ ended: Int) -> Void = { _ in }) {
        let (ends, end) = AsyncStream.makeStream(of: (CallEnd, Duration).self)
        self.ends = ends.makeAsyncIterator()
        self.end = end
        self.limit = limit
        self.progress = progress
        watchdog = Task {
            try? await Task.sleep(for: patience)
            end.finish()
        }
    }

    deinit { watchdog.cancel() }

    /// Begins a call as soon as the limit allows it. Does nothing after the end of `patience`.
    mutating func begin(_ call: @escaping @Sendable () async throws -> Void) async {
        while running >= limit { guard await next() else { return } }
        running += 1
        Task { [end] in
            let began = ContinuousClock.now
            do {
                try await call()
                end.yield((.succeeded, ContinuousClock.now - began))
            } catch {
                end.yield((CallEnd(error), ContinuousClock.now - began))
            }
        }
    }

    /// Waits until all calls have ended, at most until the end of `patience`.
    mutating func finish() async {
        while running > 0 { guard await next() else { return } }
    }

    // MARK: -

    private mutating func next() async -> Bool {
        guard let (end, wait) = await ends.next(isolation: #isolation) else { return false }
        running -= 1
        tally.note(end, after: wait)
        progress(tally.ended)
        return true
    }
}
