// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import ProcessStress

/// `stress fleet`: one credential, many hosts.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Lets replicas share a credential in a PostgreSQL database.",
        discussion: """
            Each replica is a process with its own connections. All share a row of the database, and a clock that the \
            parent moves past the expiry of their token. A token endpoint on loopback exchanges each refresh token once. \
            The verdict is derived from its log, and from a history of the row that a trigger records.

            With --chaos tokens live for a second of real time. Replicas are killed, stopped beyond their lease and \
            started. Connections are ended, or a proxy swallows their data. The database is crashed and started again, \
            if --restart says how. The database must be on 127.0.0.1 then. Tests/Servers/start-postgres.sh starts one, \
            and Tests/Servers/restart-postgres.sh restarts it.

            The exit code is 1 if a token was requested twice without a reason, if a session was lost although its \
            token had been saved or could still have been, or if a stale token replaced a newer one.
            """)

    @Option(help: ArgumentHelp("The number of processes.", valueName: "n"))
    var replicas = 8

    @Option(help: ArgumentHelp("The number of expiries.", valueName: "n"))
    var expiries = 500

    @Option(
        help: ArgumentHelp("The database. Its user must be allowed to create a schema.", valueName: "url"))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "Disturb the fleet for this time, and until each disturbance has happened, instead of counting expiries.",
            valueName: "seconds"))
    var chaos: Double?

    @Option(
        help: ArgumentHelp(
            "The command that restarts the database during --chaos, and returns when it runs.", valueName: "command"))
    var restart: String?

    @Flag(help: "Give all replicas access at once, to show that the lease is needed.")
    var withoutLock = false

    @Option(
        help: ArgumentHelp("Set some replicas' clocks ahead and others' behind by this time.", valueName: "seconds"))
    var clockOffset = 0.0

    @Option(
        help: ArgumentHelp(
            "How long a spent refresh token is still accepted: 60 by default with --chaos, else not at all.",
            valueName: "seconds"))
    var grace: Double?

    @Option(help: "What the server does when a spent refresh token is presented again within that time.")
    var graceMode = GraceMode.previousOnly

    @Option(help: ArgumentHelp("The duration of a lease that is not renewed.", valueName: "seconds"))
    var lease = 10.0

    @Option(help: ArgumentHelp("The file for the server's log.", valueName: "file"))
    var log: String?

    @Flag(help: "Print one JSON object and nothing else.")
    var json = false

    func validate() throws {
        guard (1...64).contains(replicas) else { throw ValidationError("--replicas must be between 1 and 64.") }
        guard expiries >= 1 else { throw ValidationError("--expiries must be at least 1.") }
        guard grace ?? 0 >= 0, chaos ?? 1 > 0 else { throw ValidationError("No time may be negative.") }
        guard lease >= 4 else { throw ValidationError("--lease must be at least 4 seconds.") }
    }

    func run() throws {
        #if Fleet
        guard let database else {
            throw ValidationError(
                """
                Pass a PostgreSQL database with --database. On Debian, with the package postgresql, this starts one:

                    Tests/Servers/start-postgres.sh /tmp/stress-postgres 54329
                    … stress fleet --database postgresql://app@127.0.0.1:54329/postgres
                """)
        }
        guard let url = URL(string: database), ["postgresql", "postgres"].contains(url.scheme) else {
            throw ValidationError("--database must be a URL that begins with postgresql://.")
        }
        try RunOutput(log: log, json: json).present(options(url))
        #else
        throw ValidationError(
            "This was built without the driver of the database. Build it with its trait, which needs libpq:\n"
                + "    swift run --package-path Tests/Stress --traits Fleet stress fleet --database postgresql://…")
        #endif
    }

    // MARK: -

    private func options(_ database: URL) -> StressOptions {
        var options = StressOptions(chaos.map { .chaos(seconds: $0) } ?? .expiries(expiries))
        options.workers = replicas
        options.graceMode = grace == nil && chaos == nil ? .strict : graceMode
        options.grace = grace ?? 60
        options.withoutLock = withoutLock
        var fleet = FleetOptions(database: database)
        (fleet.lease, fleet.clockOffset, fleet.restart) = (lease, clockOffset, restart)
        options.fleet = fleet
        return options
    }
}
