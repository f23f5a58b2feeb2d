// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Synchronization

/// The workers of a run. Each is one process at a time, which is replaced when it dies.
final class Crew: Sendable {
    private let options: StressOptions
    private let folder: StressFolder
    private let port: UInt16
    private let journal: Journal
    private let processes = Mutex<[WorkerProcess]>([])
    private let patience = 60.0

    init(_ options: StressOptions, folder: StressFolder, port: UInt16, journal: Journal) {
        self.options = options
        self.folder = folder
        self.port = port
        self.journal = journal
    }

    /// Starts all workers. The first signs in, then the others use its token.
    func signIn() throws {
        let first = try processes.withLock { processes in
            if processes.isEmpty { processes.append(try start(ProcessName(worker: 0, life: 0))) }
            return processes[0]
        }
        first.send("signIn")
        try journal.wait(until: "the first worker has signed in") { $0.hasPassed(nil, [first.name]) }
        try processes.withLock { processes in
            for worker in processes.count..<options.workers {
                processes.append(try start(ProcessName(worker: worker, life: 0)))
            }
            for process in processes.dropFirst() { process.send("go") }
        }
        let names = names
        try journal.wait(until: "all use the first token") { $0.hasPassed(nil, names) }
    }

    /// Starts all workers anew after the end of a session, and lets the first one sign in. Meanwhile no process is
    /// killed.
    func signInAgain() throws {
        try processes.withLock { processes in
            let old = processes
            for process in old { process.finish() }
            for process in old { _ = process.reap() }
            processes = [try start(old[0].name.next)]
            let first = processes[0]
            first.send("signIn")
            try journal.wait(until: "the first worker has signed in again") { $0.hasPassed(nil, [first.name]) }
            processes += try old.dropFirst().map { try start($0.name.next) }
        }
    }

    /// Tells all workers to get a token and use it.
    func goAll(except name: ProcessName? = nil) {
        processes.withLock { processes in
            for process in processes where process.name != name { process.send("go") }
        }
    }

    /// Tells all workers to wait for a bare lock.
    func controlAll(round: Int) {
        processes.withLock { processes in
            for process in processes { process.send("control \(round)") }
        }
    }

    /// The processes that are alive now.
    var names: [ProcessName] { processes.withLock { $0.map(\.name) } }

    func process(at worker: Int) -> WorkerProcess { processes.withLock { $0[worker] } }

    /// Kills a random process, at any point of its work, and starts its successor.
    func killRandomWorker() throws {
        try processes.withLock { processes in
            guard let victim = processes.randomElement() else { return }
            victim.kill()
            try replace(victim, killedAt: "random", in: &processes)
        }
    }

    /// Starts the successors of the processes that have been killed.
    ///
    /// - Parameter condemned: the processes that were killed on the server's order.
    func replaceDead(condemned: Set<ProcessName>) throws {
        try processes.withLock { processes in
            for process in processes {
                guard let wasKilled = process.reapIfDead() else { continue }
                guard wasKilled else { throw WorkerCrashed(name: process.name) }
                let point = condemned.contains(process.name) ? KillPoint.afterCommit.rawValue : "random"
                try succeed(process, killedAt: point, in: &processes)
            }
        }
    }

    /// Resumes those of the processes that are alive and were stopped.
    func resume(_ names: Set<ProcessName>) throws {
        try processes.withLock { processes in
            for process in processes where names.contains(process.name) {
                process.resume()
                try journal.append(LogLine(.resumed, process: process.name))
            }
        }
    }

    /// Starts the successor of a process as soon as the process has died at a point.
    ///
    /// - Parameter isSpared: whether the process can no longer reach the point.
    /// - Returns: whether it has died.
    func replace(
        _ victim: WorkerProcess, killedAt point: KillPoint, unless isSpared: () -> Bool = { false }
    ) throws -> Bool {
        guard try victim.dies(patience: patience, unless: isSpared) else { return false }
        try processes.withLock { try replace(victim, killedAt: point.rawValue, in: &$0) }
        return true
    }

    /// Kills all workers at the end of the run.
    func disband() {
        processes.withLock { processes in
            for process in processes { process.kill() }
            for process in processes { _ = process.reap() }
            processes = []
        }
    }

    // MARK: -

    private func start(_ name: ProcessName) throws -> WorkerProcess {
        let process = try WorkerProcess(
            WorkerOptions(
                folder: folder.url, port: port, name: name, withoutLock: options.withoutLock,
                withoutIntent: options.withoutIntent, withoutWatch: options.withoutWatch,
                withoutEnd: options.withoutEnd, withoutBinding: options.withoutBinding,
                isReplica: options.fleet != nil))
        try journal.append(LogLine(.started, process: name))
        return process
    }

    private func replace(_ dead: WorkerProcess, killedAt point: String, in processes: inout [WorkerProcess]) throws {
        // Any other end than a kill is a crash of the library.
        guard dead.reap() else { throw WorkerCrashed(name: dead.name) }
        try succeed(dead, killedAt: point, in: &processes)
    }

    private func succeed(_ dead: WorkerProcess, killedAt point: String, in processes: inout [WorkerProcess]) throws {
        try journal.append(LogLine(.killed, process: dead.name, point: point))
        let successor = try start(dead.name.next)
        processes[dead.name.worker] = successor
        successor.send("go")
    }
}

/// A worker ended without being killed by the run.
struct WorkerCrashed: Error, CustomStringConvertible {
    let name: ProcessName
    var description: String { "worker \(name) ended by itself" }
}

extension ProcessName {
    /// The name of the process that succeeds this one.
    fileprivate var next: ProcessName { ProcessName(worker: worker, life: life + 1) }
}
