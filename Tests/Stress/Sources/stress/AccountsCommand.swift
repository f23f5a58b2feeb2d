// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import ProcessStress

/// `stress accounts`: one process, many accounts.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Runs many accounts in one process, each with its own file.",
        discussion: """
            All tokens are in one folder, and each account has a provider. The exit code is 1 if the cost of loading \
            them, of keeping them idle, or of waiting for accounts that another process has locked exceeds its limit.
            """)

    @Option(help: ArgumentHelp("The number of accounts.", valueName: "n"))
    var accounts = 10_000

    @Option(help: ArgumentHelp("The number of accounts that another process holds locked.", valueName: "n"))
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

/// `stress hold-locks`: the second process of `stress accounts`.
struct HoldLocksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "hold-locks", shouldDisplay: false)

    @Argument var folder: String
    @Argument var accounts: Int

    func run() async throws { try await LockHolder.hold(accounts, in: URL(filePath: folder)) }
}
