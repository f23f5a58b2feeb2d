// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The verdict on a run.
public struct PoolStressReport: Hashable, Sendable, Codable {
    public var identities = 0
    public var limit = 0
    public var tasks = 0
    public var lookUps = 0
    /// How many providers were made.
    public var made = 0
    /// How often a provider was made while another one of its identity was alive.
    public var liveDuplicates = 0
    /// How many identities got a first token.
    public var sessions = 0
    /// How many tokens expired in use and were replaced.
    public var expiries = 0
    /// How often a token was asked for: once for each session and each expiry.
    public var tokenCalls = 0
    /// How often a token was to be replaced that had been replaced before.
    public var duplicateTokenCalls = 0
    /// Look-ups that brought no valid token.
    public var failures = 0
    /// The memory of the process in bytes, when twice as many identities as the limit had been used, and at the end.
    public var residentBytesAfterFirst = 0
    public var residentBytesAfterAll = 0
    /// How many providers the pool held at the end.
    public var count = 0
    public var seconds = 0.0
    /// What is wrong; empty if all is well.
    public var problems: [String] = []

    public var residentRatio: Double {
        residentBytesAfterFirst == 0 ? 1 : Double(residentBytesAfterAll) / Double(residentBytesAfterFirst)
    }

    public var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// For people.
    public var table: String {
        let rows = [
            ("identities", "\(identities)"), ("look-ups", "\(lookUps)"), ("providers made", "\(made)"),
            ("live duplicates", "\(liveDuplicates)"), ("sessions", "\(sessions)"), ("expiries", "\(expiries)"),
            ("token calls", "\(tokenCalls)"), ("duplicate token calls", "\(duplicateTokenCalls)"),
            ("failures", "\(failures)"), ("held at the end", "\(count)"),
            ("memory after \(2 * limit)", "\(residentBytesAfterFirst / 1_048_576) MiB"),
            ("memory after all", "\(residentBytesAfterAll / 1_048_576) MiB"),
            ("took", String(format: "%.1f s", seconds)),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $1 }.joined(separator: "\n")
    }

    /// Notes what is wrong.
    mutating func judge() {
        if liveDuplicates > 0 { problems.append("\(liveDuplicates) providers were made beside one that was alive") }
        if duplicateTokenCalls > 0 { problems.append("\(duplicateTokenCalls) tokens were replaced twice") }
        if tokenCalls != sessions + expiries {
            problems.append("\(tokenCalls) token calls for \(sessions) sessions and \(expiries) expiries")
        }
        if sessions != identities { problems.append("\(sessions) sessions of \(identities) identities") }
        if expiries == 0 { problems.append("no token expired") }
        if failures > 0 { problems.append("\(failures) look-ups brought no token") }
        if residentRatio > 1.2 { problems.append(String(format: "the memory grew to %.2f times", residentRatio)) }
    }
}
