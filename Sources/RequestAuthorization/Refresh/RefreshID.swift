// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// Identifies a refresh, a manual refresh or a sign-in.
struct RefreshID: Hashable, Sendable {
    /// The number of the provider, so that refreshes of two providers differ.
    let provider: Int
    let number: Int

    private static let providers = Atomic(0)

    /// Returns a number that no other provider of this process has.
    static func newProvider() -> Int { providers.add(1, ordering: .relaxed).newValue }
}

/// A refresh under way, as seen by the tasks that its service call starts.
///
/// Tasks that the service leaves running keep the task local. So this value also says whether the refresh has ended.
final class SurroundingRefresh: Sendable {
    let id: RefreshID
    private let isOver = Atomic(false)

    init(_ id: RefreshID) { self.id = id }

    var hasEnded: Bool { isOver.load(ordering: .relaxed) }

    func end() { isOver.store(true, ordering: .relaxed) }

    /// The refreshes in whose service calls the current task runs. It must not wait for any of them.
    @TaskLocal static var current: [SurroundingRefresh] = []

    /// The elements of ``current`` that have not ended.
    static var live: [SurroundingRefresh] { current.filter { !$0.hasEnded } }
}
