// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The results of a run.
public struct DemoReport: Hashable, Sendable, Codable {
    /// The number of calls.
    public var requests = 0
    /// The number of calls with the expected answer.
    public var succeeded = 0
    /// The number of calls with a typed error.
    public var failed = 0
    /// The number of calls with neither an answer nor a typed error.
    public var lost = 0
    /// The number of calls that the server answered with 401.
    public var unauthorized = 0
    /// The number of tokens that were replaced.
    public var expiries = 0
    /// The number of refreshes that the server counted, without sign-ins.
    public var tokenCalls = 0
    /// The number of reused refresh tokens and of second refreshes of the same generation, counted by the server.
    public var duplicateTokenCalls = 0
    /// The number of sessions that ended without a sign-out.
    public var sessionsLost = 0
    /// The longest duration of a call, waits included.
    public var longestWaitSeconds = 0.0

    /// The number of refreshes that were repeated because a fault lost the first answer.
    public var retriesAfterLostAnswer = 0
    /// The number of revocations of all access tokens.
    public var revocations = 0
    /// The number of injected faults.
    public var faults = 0
    /// The typed errors by kind.
    public var failures: [String: Int] = [:]
    /// The duration of the run.
    public var seconds = 0.0
    /// The waves in which the calls came.
    public var waves: [DemoWave] = []

    public init() {}

    /// The violated expectations, one sentence each. Must be empty.
    ///
    /// - Parameter faultsWereAsked: whether calls may fail. Lost calls and duplicate token calls are never allowed.
    public func problems(faultsWereAsked: Bool) -> [String] {
        var problems: [String] = []
        if lost > 0 { problems.append("\(lost) calls were lost") }
        if duplicateTokenCalls > 0 { problems.append("\(duplicateTokenCalls) token calls were duplicates") }
        if sessionsLost > 0 { problems.append("\(sessionsLost) sessions were lost") }
        if failed > 0, !faultsWereAsked { problems.append("\(failed) calls failed") }
        if expiries < 3 { problems.append("only \(expiries) tokens were replaced") }
        return problems
    }

    /// A JSON object in one line.
    public var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// A table for people, with a line for each figure.
    public var table: String {
        var rows = [
            ("requests", "\(requests)"), ("succeeded", "\(succeeded)"), ("failed", "\(failed)"), ("lost", "\(lost)"),
            ("401s", "\(unauthorized)"), ("tokens replaced", "\(expiries)"), ("token calls", "\(tokenCalls)"),
            ("duplicate token calls", "\(duplicateTokenCalls)"), ("sessions lost", "\(sessionsLost)"),
            ("longest wait", Self.format(longestWaitSeconds)), ("revocations", "\(revocations)"),
        ]
        if faults > 0 {
            rows += [("faults", "\(faults)"), ("retries after a lost answer", "\(retriesAfterLostAnswer)")]
        }
        rows += failures.sorted { $0.key < $1.key }.map { ("failed: \($0.key)", "\($0.value)") }
        rows.append(("time", Self.format(seconds)))
        let width = rows.map(\.0.count).max() ?? 0
        let valueWidth = rows.map(\.1.count).max() ?? 0
        return rows.map { name, value in
            name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
                + String(repeating: " ", count: valueWidth - value.count) + value
        }.joined(separator: "\n")
    }

    /// The course of the run for people: a line for each wave, with a bar for its calls.
    public var timeline: String {
        let most = max(1, waves.map(\.calls).max() ?? 1)
        return waves.map { wave in
            let bar = String(repeating: "=", count: 24 * wave.calls / most)
            let time = Self.format(wave.seconds)
            return String(repeating: " ", count: max(0, 8 - time.count)) + time + "  "
                + bar.padding(toLength: 26, withPad: " ", startingAt: 0) + wave.summary
        }.joined(separator: "\n")
    }

    /// What the figures mean, for people.
    public var summary: String {
        let refused = unauthorized == 1 ? "1 call" : "\(unauthorized) calls"
        let refreshes = tokenCalls == 1 ? "1 refresh" : "\(tokenCalls) refreshes"
        let served =
            succeeded == requests
            ? "all calls, and no caller saw an error"
            : "\(succeeded) of \(requests) calls; the others got an error or no answer"
        return "\(refused) met a 401. \(refreshes) served \(served)."
    }

    private static func format(_ seconds: Double) -> String {
        seconds.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US"))) + " s"
    }
}
