// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The process of a worker, as its parent sees it.
final class WorkerProcess: Sendable {
    let name: ProcessName
    private let pid: pid_t
    private let channel: Channel

    /// Starts this executable again.
    init(_ options: WorkerOptions) throws {
        name = options.name
        channel = try Channel()
        pid = try ChildProcess.start(options.arguments, channel: channel)
    }

    func send(_ commands: String...) { channel.write(commands.map { $0 + "\n" }.joined()) }

    /// Blocks until the process has exclusive access, is dead, or can no longer reach the point at which it is to die.
    func hasLockOrIsDead(patience: Double, unless isSpared: () -> Bool) throws {
        _ = try comes([.access, .death], "worker \(name) has exclusive access", patience: patience, unless: isSpared)
    }

    /// Blocks until the process has died, or can no longer reach its point.
    ///
    /// - Returns: whether it has died.
    func dies(patience: Double, unless isSpared: () -> Bool = { false }) throws -> Bool {
        try comes([.death], "worker \(name) has died", patience: patience, unless: isSpared)
    }

    /// Kills the process now, at any point of its work.
    func kill() { _ = Foundation.kill(pid, SIGKILL) }

    /// Suspends the process, at any point of its work.
    func stop() { _ = Foundation.kill(pid, SIGSTOP) }

    func resume() { _ = Foundation.kill(pid, SIGCONT) }

    /// Reaps the process if it has ended.
    ///
    /// - Returns: whether it was killed; `nil` if it is alive.
    func reapIfDead() -> Bool? { ChildProcess.signalOfEnd(of: pid).map { $0 == SIGKILL } }

    /// Closes the channel: there are no more commands.
    func finish() { channel.finish() }

    /// Blocks until the process has ended, and reaps it.
    ///
    /// - Returns: whether it was killed.
    func reap() -> Bool { ChildProcess.wait(for: pid) == SIGKILL }

    // MARK: -

    /// What the parent learns from the channel of a process that is to die.
    private enum Sign {
        case access
        case death
    }

    /// Blocks until one of these signs has come, or can no longer come.
    ///
    /// - Returns: whether one has come.
    private func comes(
        _ signs: Set<Sign>, _ what: String, patience: Double, unless isSpared: () -> Bool
    ) throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(patience)
        while ContinuousClock.now < deadline {
            var file = pollfd(fd: channel.near.number, events: Int16(POLLIN), revents: 0)
            if poll(&file, 1, 10) > 0 {
                if signs.contains(Sockets.read(channel.near.number) == nil ? .death : .access) { return true }
            } else if isSpared() {
                return false
            }
        }
        throw NoProgress(what: what, patience: patience)
    }
}
