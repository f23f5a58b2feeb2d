// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import ProcessStress

/// `stress check`: judges a log that was kept.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Judges a run by its server's log.")

    @Argument(help: ArgumentHelp("A log that `stress processes --log` has written.", valueName: "log"))
    var log: String

    func run() throws {
        let report = LogCheck.report(on: try LogLine.read(URL(filePath: log)))
        print(try report.json)
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}
