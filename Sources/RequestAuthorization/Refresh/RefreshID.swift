// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// The name of a refresh, of a manual refresh or of a sign-in.
struct RefreshID: Hashable, Sendable {
    /// Providers must not take each other's refreshes for their own.
    let provider: Int
    let number: Int

    private static let providers = Atomic(0)

    /// A number that no other provider of this process has.
    static func newProvider() -> Int { providers.add(1, ordering: .relaxed).newValue }
}

/// A refresh that is under way, as the tasks see it that its service call starts.
///
/// Task locals outlive the call: a task that the service leaves behind carries them on. So the name says whether it is over.
final class SurroundingRefresh: Sendable {
    let id: RefreshID
    private let isOver = Atomic(false)

    init(_ id: RefreshID) { self.id = id }

    var hasEnded: Bool { isOver.load(ordering: .relaxed) }

    func end() { isOver.store(true, ordering: .relaxed) }

    /// The refreshes in whose service calls the current task runs: it must not wait for any of them.
    @TaskLocal static var current: [SurroundingRefresh] = []

    /// Those of ``current`` that have not ended.
    static var live: [SurroundingRefresh] { current.filter { !$0.hasEnded } }
}
