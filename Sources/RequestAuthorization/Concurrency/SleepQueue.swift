// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Serves many sleeping tasks with a few sleeps of a clock.
///
/// A cancelled sleep of the runtime stays in memory until its time has come, 1 KiB each. A server with short-lived
/// providers would keep the deadlines of the last 30 s. Here a cancelled sleep is removed at once.
final class SleepQueue: Sendable {
    fileprivate struct Sleeper {
        let due: Duration
        let continuation: UnsafeContinuation<Void, any Error>
    }

    fileprivate struct Contents {
        var sleepers: [Int: Sleeper] = [:]
        var order = DueOrder()
        var lastNumber = 0
        /// When the present sleeps of the clock end.
        var armed: Set<Duration> = []
    }

    private let clock: any AuthorizationClock
    private let contents = Lock(Contents())
    /// Called outside the lock when a task begins to sleep; for tests.
    private let onSleep: (@Sendable () -> Void)?

    init(_ clock: any AuthorizationClock, onSleep: (@Sendable () -> Void)? = nil) {
        self.clock = clock
        self.onSleep = onSleep
    }

    /// The number of kept places, including those of cancelled sleeps.
    var capacity: Int { contents.withLock { $0.order.count } }

    /// Waits for a duration; throws `CancellationError` at once when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let due = clock.uptime + duration
        let number = contents.withLock { contents in
            contents.lastNumber += 1
            return contents.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { add(Sleeper(due: due, continuation: $0), number) }
        } onCancel: {
            cancel(number)
        }
    }

    // MARK: -

    private func add(_ sleeper: Sleeper, _ number: Int) {
        let (isCancelled, next) = contents.withLock { contents -> (Bool, Duration?) in
            // The cancellation handler may have run already.
            if Task.isCancelled { return (true, nil) }
            contents.sleepers[number] = sleeper
            contents.order.insert(number, due: sleeper.due)
            return (false, contents.arm())
        }
        if isCancelled { sleeper.continuation.resume(throwing: CancellationError()) }
        if let next { wake(at: next) }
        onSleep?()
    }

    private func cancel(_ number: Int) {
        let sleeper = contents.withLock { contents in
            let sleeper = contents.sleepers.removeValue(forKey: number)
            contents.forgetCancelled()
            return sleeper
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// Sleeps until a time, in a task that inherits nothing from its creator.
    private func wake(at due: Duration) {
        Task.detached(priority: .high) { [weak self, clock] in
            try? await clock.sleep(for: due - clock.uptime)
            self?.timePassed(due)
        }
    }

    private func timePassed(_ armed: Duration) {
        let uptime = clock.uptime
        let (due, next) = contents.withLock { contents in
            contents.armed.remove(armed)
            return (contents.takeDue(at: uptime), contents.arm())
        }
        for sleeper in due { sleeper.continuation.resume() }
        if let next { wake(at: next) }
    }
}

extension SleepQueue.Contents {
    fileprivate mutating func takeDue(at uptime: Duration) -> [SleepQueue.Sleeper] {
        var due: [SleepQueue.Sleeper] = []
        while let first = order.first {
            let sleeper = sleepers[first.number]
            if sleeper != nil, first.due > uptime { break }
            order.removeFirst()
            sleepers[first.number] = nil
            if let sleeper { due.append(sleeper) }
        }
        return due
    }

    /// - Returns: when another sleep of the clock must end; `nil` if a present one ends early enough.
    fileprivate mutating func arm() -> Duration? {
        guard let first = order.first, armed.allSatisfy({ first.due < $0 }) else { return nil }
        armed.insert(first.due)
        return first.due
    }

    /// Removes cancelled sleeps from the order once they are more than half of it.
    fileprivate mutating func forgetCancelled() {
        guard order.count > 2 * sleepers.count + 64 else { return }
        order = DueOrder(sleepers.map { (due: $0.value.due, number: $0.key) })
    }
}

/// Numbers ordered by due time: a binary heap. Inserting one and removing the first cost O(log n).
struct DueOrder {
    typealias Element = (due: Duration, number: Int)

    private var heap: [Element] = []

    init() {}

    init(_ elements: [Element]) { heap = elements.sorted { $0.due < $1.due } }

    var count: Int { heap.count }

    var first: Element? { heap.first }

    mutating func insert(_ number: Int, due: Duration) {
        heap.append((due, number))
        var index = heap.count - 1
        while index > 0, heap[index].due < heap[(index - 1) / 2].due {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < heap.count }).min(by: {
            heap[$0].due < heap[$1].due
        }),
            heap[child].due < heap[index].due
        {
            heap.swapAt(index, child)
            index = child
        }
    }
}
