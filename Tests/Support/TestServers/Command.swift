// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Glibc)
import Foundation
package import Glibc

/// Runs a program to its end.
package enum Command {
    package struct Failure: Error, CustomStringConvertible {
        package let text: String
        package var description: String { text }

        package init(text: String) { self.text = text }
    }

    /// - Returns: its output, without the last line's end.
    package static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> String {
        try await onOwnThread { try runHere(arguments, environment: environment) }
    }

    /// The same, on this thread.
    package static func runHere(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["240"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = try launching {
            let output = Pipe()
            (process.standardOutput, process.standardError) = (output, output)
            try process.run()
            return output
        }
        // The server that the script leaves behind has closed its copy: this ends with the script.
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard process.terminationStatus == 0 else {
            throw Failure(text: "\(arguments.first ?? "") ended with \(process.terminationStatus): \(text)")
        }
        return text
    }

    /// Ends a program that `timeout` runs, and `timeout`. Foundation starts programs with most signals blocked, but not this one.
    package static func end(group: pid_t) { _ = kill(-group, SIGKILL) }
}

/// Makes the pipes of a program and starts it, while no other thread does.
///
/// Foundation closes in a new program what was open at one moment before. A pipe of another thread that is opened after
/// that moment is inherited, as is the socket that tells `Process` of an end: who waits for either waits for both programs.
package func launching<Success>(_ body: () throws -> Success) rethrows -> Success { try launches.withLock(body) }

private let launches = NSLock()

/// Waits for other programs without keeping other tests waiting: those share one thread a core.
package func onOwnThread<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
#endif
