// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import ProcessStress

/// The program `stress` that was built with the tests.
enum StressProcess {
    /// Runs `stress processes` to its end.
    ///
    /// - Returns: its exit code and its report.
    static func processes(_ options: [String]) async throws -> (status: Int32, report: StressReport) {
        let output = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = products.appending(path: "stress")
        process.arguments = ["processes", "--json"] + options
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        let (end, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            ended.yield($0.terminationStatus)
            ended.finish()
        }
        try process.run()
        var status: Int32 = -1
        for await code in end { status = code }
        return (status, try JSONDecoder().decode(StressReport.self, from: Data(contentsOf: output)))
    }

    // MARK: -

    private final class Here {}

    private static var products: URL {
        #if os(macOS)
        Bundle(for: Here.self).bundleURL.deletingLastPathComponent()
        #else
        Bundle.main.bundleURL
        #endif
    }
}
