// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import PoolStress

/// `stress pool`: many identities, one process.
struct PoolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pool", abstract: "Lets many tasks use the providers of many identities.",
        discussion: """
            The tasks look up identities of a crowd that moves on from the first to the last and is larger than the pool's limit, \
            so that providers are evicted and made anew while tokens expire. The service takes each token once.

            The exit code is 1 if two providers of an identity were alive at a time, if there was not one token call for each \
            session and each expiry, if a look-up brought no token, or if the memory after all identities is more than 1.2 times \
            what it was after the first ones, twice as many as the limit.
            """)

    @Option(help: ArgumentHelp("How many identities.", valueName: "n"))
    var identities = 100_000

    @Option(help: ArgumentHelp("How many idle providers the pool keeps.", valueName: "n"))
    var limit = 1_000

    @Option(help: ArgumentHelp("How many tasks use it at a time.", valueName: "n"))
    var tasks = 64

    @Flag(help: "Use a table that evicts the oldest, in use or not, to see what the pool is for.")
    var withoutPool = false

    @Flag(help: "Print one JSON object and nothing else.")
    var json = false

    func validate() throws {
        guard identities >= 1, limit >= 1, tasks >= 1 else { throw ValidationError("Numbers must be at least 1.") }
    }

    func run() async throws {
        var options = PoolStressOptions()
        (options.identities, options.limit, options.tasks) = (identities, limit, tasks)
        options.withoutPool = withoutPool
        let report = try await PoolStressRun(options).run()
        print(json ? try report.json : report.table)
        for problem in report.problems { ProgressLine.write("error: \(problem)\n") }
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}
