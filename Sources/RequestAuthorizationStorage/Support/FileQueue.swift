// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// Runs the blocking calls of file stores, one after the other and in order.
///
/// Tests implement it to choose the order of queues and to simulate time. It is not public API.
@_spi(FileQueue) public protocol FileQueue: Sendable {
    /// Submits the body and returns at once.
    func begin(_ body: @escaping @Sendable () -> Void)
    /// Submits the body after a pause.
    func begin(after pause: Duration, _ body: @escaping @Sendable () -> Void)
}

/// A dispatch queue: file calls take seconds on a busy disk, and Swift's cooperative pool has only one thread per core.
struct DispatchFileQueue: FileQueue {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: "RequestAuthorizationStorage.\(label)") }

    func begin(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func begin(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause / .nanoseconds(1))), execute: body)
    }
}
