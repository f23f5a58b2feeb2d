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
            Each worker is a process of its own; they share a store and a clock that the parent moves past the expiry of \
            their token. A token endpoint on loopback exchanges each refresh token once. An expiry counts when its log shows \
            that every worker uses the new token. The verdict is read off that log.

            The exit code is 1 if a token was asked for twice without a reason, if a session was lost that the server had to \
            keep or that somebody had ended came back, if a request was sent again as somebody else, or if there were more retries than kills and dropped answers.
            """)

    @Option(help: ArgumentHelp("How many processes.", valueName: "n"))
    var workers = 16

    @Option(help: ArgumentHelp("How many times the token expires.", valueName: "n"))
    var expiries = 1000

    @Flag(help: "Let tokens live for a second of real time instead of moving the clock.")
    var realTime = false

    @Option(help: ArgumentHelp("Kill so many processes at each point of a refresh.", valueName: "n"))
    var kills: Int?

    @Option(help: ArgumentHelp("A point to kill at; all if none is given.", valueName: "point"))
    var point: [KillPoint] = []

    @Option(help: ArgumentHelp("Kill somebody every 0.05 s for so long.", valueName: "seconds"))
    var killAtRandom: Double?

    @Option(help: "What the server does when a spent refresh token comes again.")
    var graceMode = GraceMode.previousOnly

    @Option(help: ArgumentHelp("For how long it is forgiven.", valueName: "seconds"))
    var grace = 5.0

    @Option(help: ArgumentHelp("Drop each n-th answer of the token endpoint.", valueName: "n"))
    var loseEvery = 0

    @Option(help: ArgumentHelp("Let a second process look so often at the entries of the folder.", valueName: "n"))
    var watch = 0

    @Flag(help: "Give everybody access at once, to see what the lock is for.")
    var withoutLock = false

    @Flag(help: "Leave no intents, to see what they are for.")
    var withoutIntent = false

    @Flag(help: "Let nobody hear of what siblings do to the store.")
    var withoutWatch = false

    @Flag(help: "Take a session that was removed for one that was lost, to see what the difference is for.")
    var withoutEnd = false

    @Flag(help: "Send a refused request again, whoever is signed in by then, to see why it belongs to a session.")
    var withoutBinding = false

    @Option(
        help: ArgumentHelp("Let the disk be full for 5 s so many times, while a token is refreshed.", valueName: "n"))
    var diskFull: Int?

    @Option(
        help: ArgumentHelp(
            "Sign in as somebody else, sign out or remove the session so many times, while a token is refreshed.",
            valueName: "n"))
    var sessionChanges: Int?

    @Option(help: ArgumentHelp("Keep the server's log here.", valueName: "file"))
    var log: String?

    @Flag(help: "Print one JSON object and nothing else.")
    var json = false

    func validate() throws {
        guard (1...256).contains(workers) else { throw ValidationError("--workers must be between 1 and 256.") }
        guard expiries >= 1, kills ?? 1 >= 1, diskFull ?? 1 >= 1, sessionChanges ?? 1 >= 1 else {
            throw ValidationError("Numbers of trials must be at least 1.")
        }
        guard sessionChanges == nil || workers >= 2 else {
            throw ValidationError("--session-changes takes two workers.")
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
