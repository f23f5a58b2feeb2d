// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A worker's process, seen by its parent.
final class WorkerProcess: Sendable {
    let name: ProcessName
    private let pid: pid_t
    private let channel: Channel

    /// Starts this executable anew.
    init(_ options: WorkerOptions) throws {
        name = options.name
        channel = try Channel()
        pid = try ChildProcess.start(options.arguments, channel: channel)
    }

    func send(_ commands: String...) { channel.write(commands.map { $0 + "\n" }.joined()) }

    /// Blocks until the process, which is to die at a point, has got exclusive access or is dead, or there is no reason any more
    /// why it should get access.
    func hasLockOrIsDead(patience: Double, unless isSpared: () -> Bool) throws {
        _ = try comes([.access, .death], "worker \(name) has exclusive access", patience: patience, unless: isSpared)
    }

    /// Blocks until the process has died by itself, or there is no reason any more why it should.
    ///
    /// - Returns: whether it has died.
    func dies(patience: Double, unless isSpared: () -> Bool = { false }) throws -> Bool {
        try comes([.death], "worker \(name) has died", patience: patience, unless: isSpared)
    }

    /// The kernel ends it now, wherever it is.
    func kill() { _ = Foundation.kill(pid, SIGKILL) }

    /// It stands still from now on, wherever it is.
    func stop() { _ = Foundation.kill(pid, SIGSTOP) }

    func resume() { _ = Foundation.kill(pid, SIGCONT) }

    /// Takes the process off the system's list if it has ended.
    ///
    /// - Returns: whether it was killed; `nil` if it lives.
    func reapIfDead() -> Bool? { ChildProcess.signalOfEnd(of: pid).map { $0 == SIGKILL } }

    /// Says that there is nothing more to do.
    func finish() { channel.finish() }

    /// Takes the process off the system's list; blocks until it has ended.
    ///
    /// - Returns: whether it was killed.
    func reap() -> Bool { ChildProcess.wait(for: pid) == SIGKILL }

    // MARK: -

    /// What is read off the channel of a process that is to die.
    private enum Sign {
        case access
        case death
    }

    /// Blocks until there is one of these signs, or no reason any more why there should be.
    ///
    /// - Returns: whether there is one.
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
