// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import ProcessStress

/// `stress accounts`: one process, many accounts.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Gives one process many accounts, each with a file of its own.",
        discussion: """
            The tokens lie in one folder, each account has a provider. The exit code is 1 if loading them, keeping them idle or \
            waiting for those that another process has locked costs more than it may.
            """)

    @Option(help: ArgumentHelp("How many accounts.", valueName: "n"))
    var accounts = 10_000

    @Option(help: ArgumentHelp("How many of them another process holds locked.", valueName: "n"))
    var lockedElsewhere = 0

    @Flag(help: "Print one JSON object and nothing else.")
    var json = false

    func validate() throws {
        guard accounts >= 1 else { throw ValidationError("--accounts must be at least 1.") }
        guard (0...accounts).contains(lockedElsewhere) else {
            throw ValidationError("--locked-elsewhere must be between 0 and the number of accounts.")
        }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "accounts-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let line = ProgressLine()
        defer { line.clear() }
        let report = try await AccountsRun(accounts: accounts, lockedElsewhere: lockedElsewhere, in: folder)
            .run { line.show($0) }
        line.clear()
        print(json ? try report.json : report.table)
        for problem in report.problems.prefix(20) { ProgressLine.write("error: \(problem)\n") }
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}

/// `stress hold-locks`: what `stress accounts` starts.
struct HoldLocksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "hold-locks", shouldDisplay: false)

    @Argument var folder: String
    @Argument var accounts: Int

    func run() async throws { try await LockHolder.hold(accounts, in: URL(filePath: folder)) }
}
