// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// A thread of its own for calls that may block: file calls take seconds on a busy disk, and the threads of Swift's
/// cooperative pool are as few as the processor's cores.
struct BlockingQueue: Sendable {
    let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: "RequestAuthorizationStorage.\(label)") }

    /// Runs one body after the other.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
