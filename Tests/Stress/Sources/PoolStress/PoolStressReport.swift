// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The verdict on a run.
public struct PoolStressReport: Hashable, Sendable, Codable {
    public var identities = 0
    public var limit = 0
    public var tasks = 0
    public var lookUps = 0
    /// The number of providers that were made.
    public var made = 0
    /// The number of providers that were made while another one of the same identity was alive.
    public var liveDuplicates = 0
    /// The number of identities that got a first token.
    public var sessions = 0
    /// The number of tokens that expired in use and were replaced.
    public var expiries = 0
    /// The number of token calls, which must be one for each session and each expiry.
    public var tokenCalls = 0
    /// The number of token calls for a token that had been replaced before.
    public var duplicateTokenCalls = 0
    /// The number of look-ups without a valid token.
    public var failures = 0
    /// The memory of the process in bytes after twice as many identities as the limit.
    public var residentBytesAfterFirst = 0
    /// The memory of the process in bytes at the end.
    public var residentBytesAfterAll = 0
    /// The number of providers in the pool at the end.
    public var count = 0
    public var seconds = 0.0
    /// The violated expectations. Must be empty.
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

    /// Adds the violated expectations to ``problems``.
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
