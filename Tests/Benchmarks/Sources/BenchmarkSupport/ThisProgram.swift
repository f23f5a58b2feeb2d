// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The file of this program, for another process.
enum ThisProgram {
    static func path() throws -> String {
        guard let path = Bundle.main.executablePath else {
            throw BenchmarkError(description: "the path of this program is unknown")
        }
        return path
    }

    /// Runs this program in another process, and returns what it prints.
    static func output(_ arguments: [String]) throws -> Data {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: try path())
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(description: "another process of this program ended with \(process.terminationStatus)")
        }
        return output
    }
}
