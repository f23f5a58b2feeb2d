// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Runs calls side by side, so many at a time at most, and gives up on those that never end.
///
/// A task group would wait for a call that hangs; here it counts as lost.
struct RunningCalls: ~Copyable {
    private(set) var tally = CallTally()
    private var running = 0
    private var ends: AsyncStream<(CallEnd, Duration)>.AsyncIterator
    private let end: AsyncStream<(CallEnd, Duration)>.Continuation
    private let watchdog: Task<Void, Never>
    private let limit: Int
    private let progress: @Sendable (_ ended: Int) -> Void

    /// - Parameters:
    ///   - limit: how many calls at a time.
    ///   - patience: after this time nothing is waited for any more.
    ///   - progress: is told how many calls have ended.
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

    /// Begins a call as soon as there is room for it; does nothing once patience has ended.
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

    /// Waits until all calls have ended, or patience has.
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
