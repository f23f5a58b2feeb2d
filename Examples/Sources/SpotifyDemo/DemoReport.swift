// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What a run of the demo came to.
public struct DemoReport: Hashable, Sendable, Codable {
    /// Calls that were begun.
    public var requests = 0
    /// Calls that were answered as they should.
    public var succeeded = 0
    /// Calls that ended in a typed error.
    public var failed = 0
    /// Calls that brought neither an answer nor a typed error.
    public var lost = 0
    /// Calls that the server answered with 401.
    public var unauthorized = 0
    /// Tokens that were replaced.
    public var expiries = 0
    /// Refreshes that the server counted, sign-ins not.
    public var tokenCalls = 0
    /// Refresh tokens presented again, or second refreshes of the same generation, counted by the server.
    public var duplicateTokenCalls = 0
    /// Sign-ins that ended although nobody signed out.
    public var sessionsLost = 0
    /// The longest that any call took, all it had to wait for included.
    public var longestWaitSeconds = 0.0

    /// Refreshes that were asked for again because the first answer was lost on the way; faults do that.
    public var retriesAfterLostAnswer = 0
    /// How often all access tokens were revoked.
    public var revocations = 0
    /// How many things went wrong on purpose.
    public var faults = 0
    /// The typed errors by kind.
    public var failures: [String: Int] = [:]
    /// How long the run took.
    public var seconds = 0.0

    public init() {}

    /// What must not have happened, a sentence each; empty if all is well.
    ///
    /// - Parameter faultsWereAsked: then calls may fail, but nothing may be lost or asked for twice all the same.
    public func problems(faultsWereAsked: Bool) -> [String] {
        var problems: [String] = []
        if lost > 0 { problems.append("\(lost) calls were lost") }
        if duplicateTokenCalls > 0 { problems.append("\(duplicateTokenCalls) token calls were duplicates") }
        if sessionsLost > 0 { problems.append("\(sessionsLost) sessions were lost") }
        if failed > 0, !faultsWereAsked { problems.append("\(failed) calls failed") }
        if expiries < 3 { problems.append("only \(expiries) tokens were replaced") }
        return problems
    }

    /// One JSON object in one line.
    public var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// For people: a line for each figure.
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

    private static func format(_ seconds: Double) -> String {
        seconds.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US"))) + " s"
    }
}
