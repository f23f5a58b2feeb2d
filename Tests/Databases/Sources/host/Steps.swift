// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationStorage
import Synchronization

/// Counts the steps of this process, and kills it at one of them.
final class Steps: Sendable {
    private let folder: URL
    private let death = Mutex<(left: Int, kill: String)?>(nil)

    init(folder: URL) { self.folder = folder }

    /// - Parameters:
    ///   - step: the number of steps until then.
    ///   - kill: the name of the kill, of which one host dies.
    func die(at step: Int, of kill: String) { death.withLock { $0 = (step, kill) } }

    func pass() {
        let kill = death.withLock { death -> String? in
            guard let (left, kill) = death else { return nil }
            death = left > 1 ? (left - 1, kill) : nil
            return left > 1 ? nil : kill
        }
        guard let kill else { return }
        // The system lets one process make the file.
        let file = folder.appendingPathExtension("killed-\(kill)")
        guard (try? Data().write(to: file, options: .withoutOverwriting)) != nil else { return }
        #if canImport(Glibc) || canImport(Darwin)
        Foundation.kill(ProcessInfo.processInfo.processIdentifier, SIGKILL)
        #endif
    }
}

/// A database each of whose calls begins and ends with a step.
struct StepwiseRecords: RecordDatabase {
    let base: any RecordDatabase
    let steps: Steps

    func read(_ key: String) async throws -> DatabaseRecord? {
        steps.pass()
        defer { steps.pass() }
        return try await base.read(key)
    }

    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
        steps.pass()
        defer { steps.pass() }
        return try await base.replace(old, by: new, at: key)
    }
}
