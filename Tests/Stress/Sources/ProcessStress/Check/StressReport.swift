// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The verdict on a run.
public struct StressReport: Hashable, Sendable, Codable {
    public var workers = 0
    /// The number of expiries after which every worker used a newer token.
    public var expiries = 0
    /// The number of times that a refresh token was presented.
    public var tokenCalls = 0
    /// Repeated presentations of a refresh token that no kill and no lost answer explains.
    public var duplicateTokenCalls = 0
    /// Repeated presentations of a refresh token after its first presenter was killed or its answer was lost.
    public var retriesAfterLostAnswer = 0
    /// Sessions that ended without a sign-out.
    public var sessionsLost = 0
    /// Sessions that were used after they had been signed out, removed or replaced, and after all their tokens had
    /// expired.
    public var sessionsResurrected = 0
    /// Requests of a worker that the server got first with one user's token and then with another's. Each sign-in
    /// counts as another user.
    ///
    /// All tries of a request count as one, from its first 401 on. A request that is started anew counts as another
    /// one. The token of the first try does not matter: a worker may learn of a new session only when its token
    /// expires.
    public var sentAsOtherUser = 0
    /// Requests that were not sent, or not again, because another session had replaced theirs.
    public var requestsDismissed = 0
    /// Lost sessions that a server without grace must end. Each is explained by a kill between commit and save.
    public var sessionsLostByStrictServer = 0
    /// The longest time that an `authorize` call took.
    public var longestBlockSeconds = 0.0
    /// The number of times that a worker got an error in place of a token and was told to try again.
    public var passingFailures = 0
    /// The time that 99 of 100 waits for exclusive access took at most.
    public var lockWaitP99Seconds = 0.0
    /// The same time for a bare lock, for which all workers wait between expiries. It shows the delay of the machine
    /// itself.
    public var controlWaitP99Seconds = 0.0
    /// The number of times that a worker signed in as another user, signed out, or removed the session.
    public var sessionChanges = 0
    /// The number of times that the disk was full.
    public var fullDisks = 0
    public var killsPerPoint: [String: Int] = [:]
    /// Answers of the token endpoint that were dropped on purpose.
    public var faults = 0
    /// What a second process saw in the store's folder, if it watched.
    public var folder: FolderReport?
    /// The results that apply to fleets only.
    public var fleet: FleetReport?
    /// The duration of the run.
    public var seconds = 0.0
    /// The violated expectations. Must be empty.
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
            ("sent as another user", "\(sentAsOtherUser)"), ("requests dismissed", "\(requestsDismissed)"),
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
