// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationSpotify
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A command that ends` {
    /// Each refresh token can be used once. A second use ends the session.
    private static let strict = TokenPolicy(rotation: .on, accessTokenLifetime: .seconds(3600), grace: .zero)

    @Test func `loses nothing, at any moment of the token's life and with any kind of end`() async throws {
        let (seed, people, runs) = (UInt64(2010), 10, 20)
        let tally = try await withThrowingTaskGroup { group in
            for number in 0..<people {
                group.addTask { try await Self.run(runs, seed: seed + UInt64(number)) }
            }
            return try await group.reduce(into: RunCounts()) { $0 += $1 }
        }
        print("seed \(seed): \(tally)")
        #expect(tally.runs == people * runs)
        #expect(tally.sessionsLost == 0, "seed \(seed): \(tally)")
        #expect(tally.presentedTwice == 0, "seed \(seed): \(tally)")
        // The races under test have happened.
        #expect(tally.refreshes > tally.runs / 2)
        #expect(tally.endedWhileRefreshing > tally.runs / 8)
    }

    @Test func `continues when its terminal is closed, if it was started with nohup`() async throws {
        let answers = HeldAnswers()
        let spotify = try LocalSpotify(policy: Self.strict, clock: answers)
        try await Person.with(spotify) { person in
            try await person.login("--no-browser")
            try await person.expireToken()
            await spotify.inject(.slow(.milliseconds(500)), on: .tokenEndpoint)
            let held = answers.watched()
            let me = try Running("spotify", ["me", "--local"], environment: person.environment, after: "trap '' HUP")
            for await _ in held { break }
            me.send(SIGHUP)
            #expect(try await me.result().status == 0)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `fails if its result cannot be written`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            for arguments in [["status"], ["me", "--json"], ["now"], ["logout"]] {
                let tool = try Running(
                    "spotify", arguments + ["--local"], environment: person.environment, after: "exec >/dev/full")
                let full = try await tool.result()
                #expect(full.status == 74 && full.errors.contains("cannot be written"), "\(arguments): \(full)")
            }
        }
    }

    /// The shell opens a named pipe for writing, and closes its only reader. The program starts with SIGPIPE ignored.
    @Test func `ends by SIGPIPE if nobody reads its result`() async throws {
        let setup = """
            trap '' PIPE
            pipe="$XDG_STATE_HOME/unread"
            mkfifo "$pipe" && exec 3<>"$pipe" >"$pipe" 3<&-
            rm "$pipe"
            """
        try await Person.with { person in
            try await person.login("--no-browser")
            for arguments in [["status", "--local"], ["me", "--local"], ["serve", "--port", "0"]] {
                let tool = try Running("spotify", arguments, environment: person.environment, after: setup)
                let unread = try await tool.result()
                #expect(unread.status == -SIGPIPE && unread.errors.isEmpty, "\(arguments): \(unread)")
            }
        }
    }

    @Test func `ends at once after a second signal`() async throws {
        let answers = HeldAnswers()
        let spotify = try LocalSpotify(policy: Self.strict, clock: answers)
        try await Person.with(spotify) { person in
            try await person.login("--no-browser")
            try await person.expireToken()
            await spotify.inject(.slow(.seconds(3600)), on: .tokenEndpoint)
            let held = answers.watched()
            let me = try Running("spotify", ["me", "--local"], environment: person.environment)
            for await _ in held { break }
            me.send(SIGINT)
            me.send(SIGTERM)
            let result = try await me.result()
            #expect([-SIGINT, -SIGTERM].contains(result.status))
            #expect(result.errors == "", "it does not wait until the refresh times out")
        }
    }

    // MARK: -

    /// Runs commands of one user in turn. Each starts at a random moment of the token's life and ends in a random way.
    private static func run(_ runs: Int, seed: UInt64) async throws -> RunCounts {
        var random = SplitMix(state: seed)
        var tally = RunCounts()
        let answers = HeldAnswers()
        let spotify = try LocalSpotify(policy: strict, clock: answers)
        try await Person.with(spotify) { person in
            try await person.login("--no-browser")
            for _ in 0..<runs {
                tally.note(try await CommandRun(using: &random).run(by: person, answers))
                await spotify.clearFaults()
                // Shows every loss in the figures, not only the first.
                if await spotify.statistics.sessionsLost > tally.sessionsLost {
                    tally.sessionsLost += 1
                    try await person.login("--no-browser")
                }
            }
            try await person.expireToken()
            #expect(try await person.run("me").status == 0, "the token of the last command is valid")
            tally.note(await spotify.statistics)
        }
        return tally
    }
}

/// A command, the moment of the token's life at which it starts, and the way in which it ends.
private struct CommandRun {
    /// Seconds until the token expires. It is refreshed early in the last 96 to 120 seconds.
    let remaining: TimeInterval
    let signal: Int32?
    /// Counted from the call of the token endpoint, or from the start if there is no such call.
    let delay: Duration

    init(using random: inout SplitMix) {
        remaining =
            switch random.next(below: 10) {
            case 0..<6: Double(30 + random.next(below: 60))
            case 6..<8: -1
            default: 3000
            }
        signal = [nil, SIGINT, SIGTERM, SIGHUP][random.next(below: 4)]
        delay = .milliseconds(random.next(below: remaining < 120 ? 600 : 200))
    }

    struct Outcome {
        let hasRefreshed: Bool
        /// The signal that ended it.
        let signal: Int32?
    }

    /// Makes two calls of the Web API. Token calls are answered after half a second.
    func run(by person: Person, _ answers: HeldAnswers) async throws -> Outcome {
        try await person.setToken(remaining: remaining)
        await person.spotify.inject(.slow(.milliseconds(500)), on: .tokenEndpoint)
        let before = await person.spotify.statistics.tokenCalls
        let arguments = ["play", "spotify:track:1cLighthouse0000000003", "--device", "5eLocalSpeaker", "--local"]
        let held = answers.watched()
        let command = try Running("spotify", arguments, environment: person.environment)
        let end = Task {
            defer { answers.stop() }
            return try await command.result()
        }
        if let signal {
            if remaining < 120 { for await _ in held { break } }
            try await ContinuousClock().sleep(for: delay)
            command.send(signal)
        }
        let result = try await end.value
        #expect(result.status == 0 || result.status == signal.map { -$0 }, "\(result.errors)")
        #expect(result.errors == "")
        if signal == nil { #expect(result.output == "Playing spotify:track:1cLighthouse0000000003.\n") }
        let after = await person.spotify.statistics.tokenCalls
        return Outcome(hasRefreshed: after > before, signal: result.status < 0 ? -result.status : nil)
    }
}

private struct RunCounts: CustomStringConvertible {
    var runs = 0
    var refreshes = 0
    var endedBySignal = 0
    var endedWhileRefreshing = 0
    var sessionsLost = 0
    var presentedTwice = 0

    mutating func note(_ outcome: CommandRun.Outcome) {
        runs += 1
        if outcome.hasRefreshed { refreshes += 1 }
        if outcome.signal != nil { endedBySignal += 1 }
        if outcome.hasRefreshed, outcome.signal != nil { endedWhileRefreshing += 1 }
    }

    mutating func note(_ statistics: Statistics) {
        sessionsLost = statistics.sessionsLost
        presentedTwice = statistics.duplicateTokenCalls
    }

    static func += (sum: inout RunCounts, one: RunCounts) {
        sum.runs += one.runs
        sum.refreshes += one.refreshes
        sum.endedBySignal += one.endedBySignal
        sum.endedWhileRefreshing += one.endedWhileRefreshing
        sum.sessionsLost += one.sessionsLost
        sum.presentedTwice += one.presentedTwice
    }

    var description: String {
        "\(runs) runs, \(refreshes) refreshes, \(endedBySignal) ended by a signal, \(endedWhileRefreshing) of them while "
            + "refreshing; \(sessionsLost) sessions lost, \(presentedTwice) refresh tokens presented twice"
    }
}

/// The machine's clocks, for a server. It reports when an answer begins to be delayed.
private final class HeldAnswers: AuthorizationClock {
    private let watcher = Mutex<AsyncStream<Void>.Continuation?>(nil)

    var now: Date { SystemClock.system.now }
    var uptime: Duration { SystemClock.system.uptime }

    func sleep(for duration: Duration) async throws {
        watcher.withLock { _ = $0?.yield() }
        try await SystemClock.system.sleep(for: duration)
    }

    /// The answers that are delayed from now on, for one watcher at a time.
    func watched() -> AsyncStream<Void> {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        watcher.withLock { $0 = continuation }
        return answers
    }

    /// Ends the stream of the watcher.
    func stop() { watcher.withLock { $0?.finish() } }
}

/// Sebastiano Vigna's SplitMix64: the same seed gives the same numbers on every machine.
private struct SplitMix {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((word ^ (word >> 31)) % UInt64(bound))
    }
}
