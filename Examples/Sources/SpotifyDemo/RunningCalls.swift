// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession
import Synchronization

/// Runs calls concurrently up to a limit, and abandons calls that do not end.
///
/// A task group would wait for a call that hangs. Here such a call counts as lost.
struct RunningCalls: ~Copyable {
    private(set) var tally = CallTally()
    private var running = 0
    private var ends: AsyncStream<(CallEnd, Duration)>.AsyncIterator
    private let end: AsyncStream<(CallEnd, Duration)>.Continuation
    private let lastProgress: LastProgress
    private let watchdog: Task<Void, Never>
    private let limit: Int
    private let progress: @Sendable (_ ended: Int) -> Void

    /// - Parameters:
    ///   - limit: the largest number of concurrent calls.
    ///   - patience: the time without the beginning or the end of a call after which all waits end. The whole run may
    ///     take longer, for instance on a busy machine.
    ///   - clock: measures the patience.
    ///   - progress: called with the number of calls that have ended.
    init(
        limit: Int, patience: Duration, clock: any AuthorizationClock = .system,
        progress: @escaping @Sendable (_ ended: Int) -> Void = { _ in }
    ) {
        let (ends, end) = AsyncStream.makeStream(of: (CallEnd, Duration).self)
        self.ends = ends.makeAsyncIterator()
        self.end = end
        self.limit = limit
        self.progress = progress
        lastProgress = LastProgress(clock)
        watchdog = Task { [lastProgress] in
            try? await lastProgress.isLongAgo(patience)
            end.finish()
        }
    }

    deinit { watchdog.cancel() }

    /// Begins a call as soon as the limit allows it. Does nothing after the end of `patience`.
    mutating func begin(_ call: @escaping @Sendable () async throws -> Void) async {
        while running >= limit { guard await next() else { return } }
        running += 1
        lastProgress.isNow()
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
        lastProgress.isNow()
        tally.note(end, after: wait)
        progress(tally.ended)
        return true
    }
}

/// The time at which a call last began or ended.
private final class LastProgress: Sendable {
    private let clock: any AuthorizationClock
    private let time: Mutex<Duration>

    init(_ clock: any AuthorizationClock) {
        self.clock = clock
        time = Mutex(clock.uptime)
    }

    func isNow() { time.withLock { $0 = clock.uptime } }

    /// Returns when there was no progress for a duration.
    ///
    /// - Throws: `CancellationError`.
    func isLongAgo(_ duration: Duration) async throws {
        var left = duration
        repeat {
            try await clock.sleep(for: left)
            left = time.withLock { $0 } + duration - clock.uptime
        } while left > .zero
    }
}
