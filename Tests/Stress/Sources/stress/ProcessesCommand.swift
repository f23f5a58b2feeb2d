// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import ArgumentParser
import Foundation
public import ProcessStress

/// `stress processes`: one credential, many processes.
struct ProcessesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processes", abstract: "Lets processes share a credential in a restricted file.",
        discussion: """
            Each worker is a process. They share a store and a clock that the parent moves past the expiry of their \
            token. A token endpoint on loopback exchanges each refresh token once. An expiry counts when the endpoint's \
            log shows that every worker uses the new token. The verdict is derived from that log.

            The exit code is 1 if a token was requested twice without a reason, if a session was lost that the server \
            had to keep, if a session was used after its end, if a request was sent again as another user, or if there \
            were more retries than kills and dropped answers.
            """)

    @Option(help: ArgumentHelp("The number of processes.", valueName: "n"))
    var workers = 16

    @Option(help: ArgumentHelp("The number of expiries.", valueName: "n"))
    var expiries = 1000

    @Flag(help: "Let tokens live for a second of real time instead of moving the clock.")
    var realTime = false

    @Option(help: ArgumentHelp("Kill this number of processes at each point of a refresh.", valueName: "n"))
    var kills: Int?

    @Option(help: ArgumentHelp("A point to kill at; by default all.", valueName: "point"))
    var point: [KillPoint] = []

    @Option(help: ArgumentHelp("Kill a process every 0.05 s for this time.", valueName: "seconds"))
    var killAtRandom: Double?

    @Option(help: "What the server does when a spent refresh token is presented again.")
    var graceMode = GraceMode.previousOnly

    @Option(help: ArgumentHelp("How long a spent refresh token is still accepted.", valueName: "seconds"))
    var grace = 5.0

    @Option(help: ArgumentHelp("Drop each n-th answer of the token endpoint.", valueName: "n"))
    var loseEvery = 0

    @Option(
        help: ArgumentHelp("Let a second process look at the folder's entries this number of times.", valueName: "n"))
    var watch = 0

    @Flag(help: "Give all workers access at once, to show that the lock is needed.")
    var withoutLock = false

    @Flag(help: "Save no intents, to show that they are needed.")
    var withoutIntent = false

    @Flag(help: "Keep workers from learning of their siblings' changes to the store.")
    var withoutWatch = false

    @Flag(help: "Treat a removed session as a lost one, to show that the difference is needed.")
    var withoutEnd = false

    @Flag(help: "Send a refused request again in any session, to show that requests must be bound to one.")
    var withoutBinding = false

    @Option(
        help: ArgumentHelp("Fill the disk for 5 s during a refresh, this number of times.", valueName: "n"))
    var diskFull: Int?

    @Option(
        help: ArgumentHelp(
            "Sign in as another user, sign out or remove the session during a refresh, this number of times.",
            valueName: "n"))
    var sessionChanges: Int?

    @Option(help: ArgumentHelp("The file for the server's log.", valueName: "file"))
    var log: String?

    @Flag(help: "Print one JSON object and nothing else.")
    var json = false

    func validate() throws {
        guard (1...256).contains(workers) else { throw ValidationError("--workers must be between 1 and 256.") }
        guard expiries >= 1, kills ?? 1 >= 1, diskFull ?? 1 >= 1, sessionChanges ?? 1 >= 1 else {
            throw ValidationError("Numbers of trials must be at least 1.")
        }
        guard sessionChanges == nil || workers >= 2 else {
            throw ValidationError("--session-changes needs at least two workers.")
        }
        guard grace >= 0, loseEvery >= 0, watch >= 0 else { throw ValidationError("No option may be negative.") }
    }

    func run() throws { try RunOutput(log: log, json: json).present(options) }

    // MARK: -

    private var options: StressOptions {
        var options = StressOptions(trial)
        options.workers = workers
        options.graceMode = graceMode
        options.grace = grace
        options.losesEvery = loseEvery
        options.watches = watch
        options.withoutLock = withoutLock
        options.withoutIntent = withoutIntent
        options.withoutWatch = withoutWatch
        options.withoutEnd = withoutEnd
        options.withoutBinding = withoutBinding
        return options
    }

    private var trial: StressOptions.Trial {
        if let kills { return .killPoints(kills, point.isEmpty ? KillPoint.allCases : point) }
        if let killAtRandom { return .randomKills(seconds: killAtRandom) }
        if let diskFull { return .fullDisk(diskFull) }
        if let sessionChanges { return .sessionChanges(sessionChanges) }
        return realTime ? .realTime(expiries, lifetime: 1) : .expiries(expiries)
    }
}

extension GraceMode: ExpressibleByArgument {}
extension KillPoint: ExpressibleByArgument {}
