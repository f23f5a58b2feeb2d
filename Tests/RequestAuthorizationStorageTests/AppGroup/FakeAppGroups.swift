// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import RequestAuthorization

@testable import RequestAuthorizationStorage

/// App groups whose containers are folders.
final class FakeAppGroups: AppGroups {
    private let containers: [String: String]
    private let excludedFolders = Lock<[String]>([])
    let entitledGroups: [String]?
    let keepsFiles: Bool

    init(_ containers: [String: String], entitledGroups: [String]? = nil, keepsFiles: Bool = true) {
        (self.containers, self.entitledGroups, self.keepsFiles) = (containers, entitledGroups, keepsFiles)
    }

    /// The paths that were excluded from backups.
    var excluded: [String] { excludedFolders.withLock { $0 } }

    func container(of group: String) -> String? { containers[group] }
    func excludeFromBackup(_ folder: String) { excludedFolders.withLock { $0.append(folder) } }
}

/// A system that suspends the process when the test says so.
final class FakeActivities: ExpiringActivities {
    typealias Block = @Sendable (Bool) -> Void

    private struct State {
        var running: [Int: Block] = [:]
        var count = 0
        var hasTime = true
    }

    private let state = Lock(State())
    private let (ended, continuation) = AsyncStream.makeStream(of: Void.self)

    /// The number of activities that keep the process from being suspended.
    var running: Int { state.withLock(\.running.count) }
    /// An element for each activity that has ended.
    var ends: AsyncStream<Void> { ended }

    /// The process is in the background, and the system has no time to give.
    func refuse() { state.withLock { $0.hasTime = false } }

    /// The system is about to suspend the process, and does when this returns.
    func expire() {
        refuse()
        for block in state.withLock({ Array($0.running.values) }) { block(true) }
    }

    func perform(reason: String, _ block: @escaping Block) {
        let id = state.withLock { state -> Int? in
            guard state.hasTime else { return nil }
            state.count += 1
            state.running[state.count] = block
            return state.count
        }
        DispatchQueue.global().async {
            block(id == nil)
            guard let id else { return }
            self.state.withLock { _ = $0.running.removeValue(forKey: id) }
            self.continuation.yield()
        }
    }
}
