// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import TestServers
import Testing

/// Many commands at the moments when a token has expired, some of which are killed; each refresh token is for one use.
///
/// `EXPIRIES=500` runs it longer.
@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(30)))
struct RotationTests {
    @Test func `one token call for each expiry, and nothing is lost but with an answer`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let expiries = environment["EXPIRIES"].flatMap { Int($0) } ?? 8
        let seed = environment["SEED"].flatMap { UInt64($0) } ?? 38
        try await User.with { user in
            var random = SplitMix(state: seed)
            var tally = Tally()
            try await user.login()
            var store = try await user.store()
            for _ in 0..<expiries {
                let before = try await user.server.counts()
                try await user.setToken(remaining: -1, in: store)
                let results = try await Self.storm(user, &random)
                let calls = try await user.server.counts().refreshes - before.refreshes
                tally.note(results, calls: calls)
                #expect(results.allSatisfy { [0, 77, -SIGKILL].contains($0.status) }, "\(results.map(\.errors))")
                guard results.contains(where: { $0.status == 77 }) else { continue }
                tally.lost += 1
                // Only the kill of the process whose answer was under way can lose a session.
                #expect(results.contains { $0.status == -SIGKILL } && calls == 1, "\(tally)")
                try await user.login()
                store = try await user.store()
            }
            print("seed \(seed): \(tally)")
            #expect(tally.calls == tally.expiries, "\(tally)")
            // A kill seldom comes at that moment. A tool that saves nothing loses each session.
            #expect(tally.lost < tally.expiries, "\(tally)")
            let counts = try await user.server.counts()
            #expect(counts.authorizations == 1 + tally.lost && counts.registrations == 1)
        }
    }

    /// 16 commands at the same time. Every fourth is killed at a random moment.
    private static func storm(_ user: User, _ random: inout SplitMix) async throws -> [Program.Result] {
        let programs = try (0..<16).map { number in
            let kinds: [(arguments: [String], input: String)] = [
                (["header", user.url], ""), (["token", user.url, "--format", "json"], ""),
                (["exec", user.url, "--env", "TOKEN", "--", "/bin/true"], ""),
                (["mcp", user.url], BridgeTests.initialize),
            ]
            let kind = kinds[random.next(below: 4)]
            let program = try user.start(kind.arguments, input: kind.input)
            let delay = number % 4 == 0 ? Duration.milliseconds(random.next(below: 200)) : nil
            return (program, delay)
        }
        return try await withThrowingTaskGroup { group in
            for (program, delay) in programs {
                group.addTask {
                    if let delay {
                        try await ContinuousClock().sleep(for: delay)
                        program.send(SIGKILL)
                    }
                    return try await program.result()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}

private struct Tally: CustomStringConvertible {
    var (expiries, calls, lost, runs, killed) = (0, 0, 0, 0, 0)

    mutating func note(_ results: [Program.Result], calls: Int) {
        (expiries, self.calls, runs) = (expiries + 1, self.calls + calls, runs + results.count)
        killed += results.filter { $0.status == -SIGKILL }.count
    }

    var description: String {
        "\(runs) commands, \(killed) killed, \(expiries) expiries, \(calls) token calls, \(lost) sessions lost with an answer"
    }
}

/// Sebastiano Vigna's SplitMix64: the same seed gives the same numbers on every machine.
struct SplitMix {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((word ^ (word >> 31)) % UInt64(bound))
    }
}
