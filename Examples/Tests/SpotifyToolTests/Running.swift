// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A program that was built with the tests, run as a process.
final class Running: Sendable {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    private let process = Process()
    private let output: Reader
    private let errors: Reader
    private let end: AsyncStream<Int32>

    /// - Parameters:
    ///   - name: the name of the program.
    ///   - arguments: the arguments of the command line.
    ///   - environment: all variables, except those that locate programs and libraries.
    ///   - setup: a command of the shell that starts the program, for instance `trap '' HUP`, as with `nohup`.
    init(
        _ name: String, _ arguments: [String] = [], environment: [String: String], after setup: String? = nil
    ) throws {
        let program = Self.products.appending(path: name)
        if let setup {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\(setup); exec \"$0\" \"$@\"", program.path] + arguments
        } else {
            (process.executableURL, process.arguments) = (program, arguments)
        }
        let inherited = ProcessInfo.processInfo.environment.filter {
            ["PATH", "LD_LIBRARY_PATH", "HOME"].contains($0.key)
        }
        process.environment = inherited.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        (self.output, self.errors) = (Reader(output.fileHandleForReading), Reader(errors.fileHandleForReading))
        (process.standardOutput, process.standardError) = (output, errors)
        // A script that runs the tests with `&` ignores Ctrl-C for them, and so for this program.
        signal(SIGINT, SIG_DFL)
        let (end, ended) = AsyncStream.makeStream(of: Int32.self)
        self.end = end
        process.terminationHandler = {
            ended.yield($0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus)
            ended.finish()
        }
        try process.run()
    }

    /// Runs the program to its end.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        try await Running("spotify", arguments, environment: environment).result()
    }

    /// Waits until the program has ended.
    func result() async throws -> Result {
        var status: Int32 = -1
        for await code in end { status = code }
        return Result(status: status, output: await output.text(), errors: await errors.text())
    }

    /// The first word of standard output or standard error with this beginning.
    func word(beginning start: String, ofErrors: Bool) async throws -> String {
        let reader = ofErrors ? errors : output
        for try await line in reader.lines {
            if let word = line.split(separator: " ").first(where: { $0.hasPrefix(start) }) { return String(word) }
        }
        throw NeverSaid(start: start, text: await reader.text())
    }

    func terminate() { process.terminate() }

    /// Sends a signal, if the program has not ended.
    func send(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    struct NeverSaid: Error {
        let start: String
        let text: String
    }

    // MARK: -

    private static var products: URL {
        #if os(macOS)
        Bundle(for: Running.self).bundleURL.deletingLastPathComponent()
        #else
        Bundle.main.bundleURL
        #endif
    }
}

/// Reads a pipe on its own thread until the other end is closed.
struct Reader {
    let lines: AsyncStream<String>
    private let whole: Task<String, Never>

    /// - Parameter handle: the pipe. It is evaluated on that thread, because opening may block too.
    init(_ handle: @autoclosure @escaping @Sendable () -> FileHandle?) {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
        self.lines = lines
        Thread.detachNewThread {
            let handle = handle()
            while let data = handle?.availableData, !data.isEmpty { chunk.yield(data) }
            // Foundation's `Process` stays in memory after its end, and would keep the descriptor open.
            try? handle?.close()
            chunk.finish()
        }
        whole = Task {
            var (all, pending) = (Data(), Data())
            for await data in chunks {
                all.append(data)
                pending.append(data)
                while let end = pending.firstIndex(of: 0x0A) {
                    line.yield(String(decoding: pending[..<end], as: UTF8.self))
                    pending = Data(pending[pending.index(after: end)...])
                }
            }
            line.finish()
            return String(decoding: all, as: UTF8.self)
        }
    }

    func text() async -> String { await whole.value }
}
