// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The verdict on a run.
public struct StressReport: Hashable, Sendable, Codable {
    public var workers = 0
    /// How many times a token expired and every worker used a newer one.
    public var expiries = 0
    /// How often a refresh token was presented.
    public var tokenCalls = 0
    /// Presentations of a refresh token that had been presented before, without anybody's death or loss as a reason.
    public var duplicateTokenCalls = 0
    /// Presentations of a refresh token after its first presenter was killed, or its answer lost.
    public var retriesAfterLostAnswer = 0
    /// Sessions that ended although nobody signed out.
    public var sessionsLost = 0
    /// Sessions that were used again although they had been signed out, removed or replaced, and all their tokens had expired.
    public var sessionsResurrected = 0
    /// Requests of a worker that the server got first with one person's token and then with another's. Each sign-in is another
    /// person's.
    ///
    /// The tries of a request count as one, from its 401 on. A request that is begun anew counts as another one. Which token
    /// the first try has does not matter: until its token expires a worker may not have heard of the new session.
    public var sentAsSomebodyElse = 0
    /// Requests that were not sent, or not again, because another session had replaced theirs.
    public var requestsDismissed = 0
    /// Of those that were lost: the ones that a server without grace cannot but end, each with the kill between commit and save.
    public var sessionsLostByStrictServer = 0
    /// The longest that any `authorize` was held.
    public var longestBlockSeconds = 0.0
    /// How often a worker got an error in place of a token and was told to try again.
    public var passingFailures = 0
    /// How long 99 of 100 waited at most for exclusive access.
    public var lockWaitP99Seconds = 0.0
    /// The same for a bare lock, for which all workers wait between expiries: how late the machine itself lets them come.
    public var controlWaitP99Seconds = 0.0
    /// How often a worker signed in as another person, signed out, or removed the session.
    public var sessionChanges = 0
    /// How often the disk was full.
    public var fullDisks = 0
    public var killsPerPoint: [String: Int] = [:]
    /// Answers of the token endpoint that were dropped on purpose.
    public var faults = 0
    /// What a second process saw in the store's folder, if it was asked to look.
    public var folder: FolderReport?
    /// What is to be said of a fleet alone.
    public var fleet: FleetReport?
    /// How long the run took.
    public var seconds = 0.0
    /// What is wrong; empty if all is well.
    public var problems: [String] = []

    public var kills: Int { killsPerPoint.values.reduce(0, +) }

    public var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// For people.
    public var table: String {
        var rows: [(String, String)] = [
            ("workers", "\(workers)"), ("expiries", "\(expiries)"), ("token calls", "\(tokenCalls)"),
            ("duplicate token calls", "\(duplicateTokenCalls)"),
            ("retries after a lost answer", "\(retriesAfterLostAnswer)"),
            ("sessions lost", "\(sessionsLost)"), ("sessions resurrected", "\(sessionsResurrected)"),
            ("sent as somebody else", "\(sentAsSomebodyElse)"), ("requests dismissed", "\(requestsDismissed)"),
            ("session changes", "\(sessionChanges)"), ("full disks", "\(fullDisks)"),
            ("lock wait, p99", String(format: "%.3f s", lockWaitP99Seconds)),
            ("lock wait of the control, p99", String(format: "%.3f s", controlWaitP99Seconds)),
            ("longest block", String(format: "%.3f s", longestBlockSeconds)),
            ("passing failures", "\(passingFailures)"), ("answers dropped", "\(faults)"),
            ("took", String(format: "%.1f s", seconds)),
        ]
        rows += killsPerPoint.sorted { $0.key < $1.key }.map { ("killed: \($0.key)", "\($0.value)") }
        if let fleet { rows += fleet.rows }
        if let folder { rows.append(("looks at the folder", "\(folder.looks), \(folder.problems.count) problems")) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.1 }
            .joined(separator: "\n")
    }
}
