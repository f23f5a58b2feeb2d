// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

#if canImport(Glibc)
package import Glibc
#elseif canImport(Darwin)
package import Darwin
#endif

/// A `StorageProcess` that runs beside the tests.
package final class SecondProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let rest = Lock(Data())

    package init(_ arguments: String...) throws {
        let tests = URL(filePath: CommandLine.arguments[0])
        process.executableURL = tests.deletingLastPathComponent().appending(path: "StorageProcess")
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        // Otherwise a process of a parallel test inherits the descriptor, and the input does not end.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
    }

    deinit { if process.isRunning { _ = Self.end(process.processIdentifier) } }

    package var id: pid_t { process.processIdentifier }

    /// Waits for the next line of its output.
    package func line() async throws -> String {
        while true {
            if let line = rest.withLock({ Self.firstLine(of: &$0) }) { return line }
            let more = await moreOutput()
            if more.isEmpty { throw NoLine() }
            rest.withLock { $0 += more }
        }
    }

    /// Reads on a new thread, because the tests share one thread per core, which must not block.
    private func moreOutput() async -> Data {
        let output = output.fileHandleForReading
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: output.availableData) }
        }
    }

    /// Writes a line to its input.
    package func say(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Closes its input.
    package func endInput() throws { try input.fileHandleForWriting.close() }

    /// Kills it with SIGKILL, as the system does without free memory.
    package func kill() {
        _ = Self.end(process.processIdentifier)
        process.waitUntilExit()
    }

    /// Stops it with SIGSTOP and waits until it has stopped. It keeps its locks.
    package func stop() {
        _ = Self.send(SIGSTOP, to: process.processIdentifier)
        // Its threads run on until one of them has received the signal.
        var stopped = siginfo_t()
        while waitid(P_PID, id_t(process.processIdentifier), &stopped, WSTOPPED | WNOWAIT) == -1, errno == EINTR {}
    }

    /// Resumes it after a stop.
    package func goOn() { _ = Self.send(SIGCONT, to: process.processIdentifier) }

    private static func firstLine(of text: inout Data) -> String? {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { text = Data(text[(end + 1)...]) }
        return String(decoding: text[..<end], as: UTF8.self)
    }

    private static func end(_ id: pid_t) -> CInt { send(SIGKILL, to: id) }

    private static func send(_ signal: CInt, to id: pid_t) -> CInt {
        #if canImport(Glibc)
        Glibc.kill(id, signal)
        #else
        Darwin.kill(id, signal)
        #endif
    }

    package struct NoLine: Error {}
}
