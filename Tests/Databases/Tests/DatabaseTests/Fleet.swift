// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import DatabaseRecords
import Foundation

/// Processes that share a token, and the folder in which it is spent.
final class Fleet {
    let folder: URL
    let tokens: SpentTokens
    private let arguments: [String]
    private var hosts: [HostProcess] = []
    /// The seconds by which the time of the hosts has moved on.
    private var moved = 0
    private var kills = 0

    /// - Parameter lease: the duration of a lease in seconds. A host that is slower than the lease less 2 s sends nothing.
    init(_ count: Int, database: String, hasGrace: Bool = false, lease: Int = 10, in folder: URL) throws {
        self.folder = folder
        arguments = [database, folder.path, hasGrace ? "grace" : "strict", "\(lease)"]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        tokens = SpentTokens(folder: folder, hasGrace: hasGrace)
        for _ in 0..<count { try hosts.append(HostProcess(arguments)) }
        for host in hosts { _ = host.line() }
    }

    deinit { for host in hosts { host.kill() } }

    func signIn() throws { _ = try hosts[0].ask("sign in") }

    /// Moves the time of all hosts past the expiry of their token.
    ///
    /// - Returns: the number of each host's token, or its error.
    func expire() throws -> [String] { try expireAll().map { $0 ?? "- it ended" } }

    /// Lets all hosts refresh. The first one that comes to a step of its work is killed there, and replaced.
    ///
    /// - Parameter step: the number of the step, from 1. A step is the beginning or the end of a call of the database or
    ///   of the token endpoint.
    /// - Returns: the number of hosts that were killed.
    func killOne(atStep step: Int) throws -> Int {
        kills += 1
        for host in hosts { try host.send("die \(step) \(kills)") }
        let killed = try zip(hosts.indices, expireAll()).filter { $0.1 == nil }.map { $0.0 }
        for index in killed {
            hosts[index] = try HostProcess(arguments)
            _ = hosts[index].line()
            _ = try hosts[index].ask("\(moved)")
        }
        return killed.count
    }

    private func expireAll() throws -> [String?] {
        moved += 601
        for host in hosts { try host.send("601") }
        return hosts.map { $0.line() }
    }
}

/// A host as a process, which answers each line with a line.
final class HostProcess {
    private let process = Process()
    private let input = Pipe()
    private let output: LineReader

    init(_ arguments: [String]) throws {
        let pipe = Pipe()
        output = LineReader(pipe)
        process.executableURL = Self.folder.appendingPathComponent("host")
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, pipe)
        try process.run()
    }

    /// The folder of the built programs.
    private static var folder: URL {
        let path = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(filePath: path).deletingLastPathComponent()
    }

    /// Nothing happens if the process has ended.
    func send(_ line: String) throws {
        guard process.isRunning else { return }
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    func ask(_ line: String) throws -> String? {
        try send(line)
        return self.line()
    }

    /// The next line; `nil` once the process has ended.
    func line() -> String? { output.line() }

    /// Ends the process at once, as `kill -9` does.
    func kill() {
        guard process.isRunning else { return }
        #if canImport(Glibc) || canImport(Darwin)
        Foundation.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
    }
}
