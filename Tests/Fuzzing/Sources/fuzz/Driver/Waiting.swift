// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Synchronization

/// Waits for an asynchronous function that performs no input and output. It runs in this thread: passing each input to
/// another thread and back takes longer than most inputs.
func waiting<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) -> Value? {
    let thread = ThisThread()
    let outcome = Outcome<Value>()
    Task(executorPreference: thread) {
        let value = try? await work()
        outcome.value.withLock { $0 = .some(value) }
    }
    while true {
        if let value = outcome.value.withLock({ $0 }) { return value }
        thread.runOne()
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    /// The outer optional is `nil` until the function has ended.
    let value = Mutex<Value??>(nil)
}

/// Runs tasks in the thread that calls ``runOne()``.
private final class ThisThread: TaskExecutor {
    private let ready = Mutex<[UnownedJob]>([])
    private let count = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        ready.withLock { $0.append(job) }
        count.signal()
    }

    /// Waits until a task can go on, and runs it until it waits.
    func runOne() {
        count.wait()
        ready.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
    }
}
