// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A `StorageProcess` that runs beside the tests.
final class SecondProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest = Data()

    init(_ arguments: String...) throws {
        let tests = URL(filePath: CommandLine.arguments[0])
        process.executableURL = tests.deletingLastPathComponent().appending(path: "StorageProcess")
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
    }

    deinit { if process.isRunning { _ = Self.end(process.processIdentifier) } }

    var id: pid_t { process.processIdentifier }

    /// Waits for the next line that it prints.
    func line() throws -> String {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw NoLine() }
            rest += more
        }
    }

    /// Lets it end, and waits for that.
    func endInput() throws { try input.fileHandleForWriting.close() }

    /// Ends it as the system does for want of memory.
    func kill() {
        _ = Self.end(process.processIdentifier)
        process.waitUntilExit()
    }

    private static func end(_ id: pid_t) -> CInt {
        #if canImport(Glibc)
        Glibc.kill(id, SIGKILL)
        #else
        Darwin.kill(id, SIGKILL)
        #endif
    }

    struct NoLine: Error {}
}
