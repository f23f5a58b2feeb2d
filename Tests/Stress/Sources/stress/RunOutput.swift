// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import ProcessStress

/// How a run is printed, and where its log is kept.
struct RunOutput {
    /// The file for the server's log; `nil` for none.
    let log: String?
    let json: Bool

    /// Performs a run and prints its verdict.
    ///
    /// - Throws: `ExitCode(1)` if the report has problems.
    func present(_ options: StressOptions) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stress-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try StressRun(options, in: folder)
        let line = ProgressLine()
        let report: StressReport
        do {
            report = try run.run { line.show($0) }
        } catch {
            line.clear()
            try keepLog(of: run)
            throw error
        }
        line.clear()
        try keepLog(of: run)
        print(json ? try report.json : report.table)
        for problem in report.problems.prefix(20) { ProgressLine.write("error: \(problem)\n") }
        if !report.problems.isEmpty || report.folder?.problems.isEmpty == false { throw ExitCode(1) }
    }

    // MARK: -

    private func keepLog(of run: StressRun) throws {
        guard let log else { return }
        try? FileManager.default.removeItem(atPath: log)
        try FileManager.default.copyItem(at: run.log, to: URL(filePath: log))
    }
}
