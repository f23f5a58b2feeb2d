// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Synchronization

/// Waits for an asynchronous function that performs no input and output.
func waiting<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) -> Value? {
    let outcome = Outcome<Value>()
    Task {
        let value = try? await work()
        outcome.value.withLock { $0 = value }
        outcome.done.signal()
    }
    outcome.done.wait()
    return outcome.value.withLock { $0 }
}

private final class Outcome<Value: Sendable>: Sendable {
    let done = DispatchSemaphore(value: 0)
    let value = Mutex<Value?>(nil)
}
