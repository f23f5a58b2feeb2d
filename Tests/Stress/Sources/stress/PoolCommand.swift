// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import PoolStress

/// `stress pool`: many identities, one process.
struct PoolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pool", abstract: "Uses the providers of many identities from many tasks.",
        discussion: """
            The tasks look up identities in a window that moves from the first to the last. It is larger than the \
            pool's limit, so that providers are evicted and made again while tokens expire. The service accepts each \
            token once.

            The exit code is 1 if two providers of an identity were alive at the same time, if there was not one token \
            call for each session and each expiry, if a look-up got no token, or if the memory grew too much. After all \
            identities it may be 1.2 times as large as after the first ones, which are twice as many as the limit.
            """)

    @Option(help: ArgumentHelp("The number of identities.", valueName: "n"))
    var identities = 100_000

    @Option(help: ArgumentHelp("The number of idle providers that the pool keeps.", valueName: "n"))
    var limit = 1_000

    @Option(help: ArgumentHelp("The number of tasks that use it at the same time.", valueName: "n"))
    var tasks = 64

    @Flag(help: "Use a table that evicts the oldest provider even if it is in use, to show that the pool is needed.")
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
