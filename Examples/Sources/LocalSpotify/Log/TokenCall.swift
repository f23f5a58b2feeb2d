// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// One call of the token endpoint: a line of the server's own log, without any secret.
///
///     {"family":0,"grant":"refresh_token","issued":4,"outcome":"refreshed","presented":3,"time":"2026-02-01T12:00:00.000Z"}
public struct TokenCall: Hashable, Sendable, Codable {
    /// How a call ended.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// A code was exchanged; a family began.
        case signedIn
        /// A refresh token was exchanged.
        case refreshed
        /// The spent refresh token came again within the grace: the same successor.
        case replayed
        /// A spent refresh token came again: the family is over.
        case reuseDetected
        /// A refresh token of a family that is over.
        case familyEnded
        /// A refresh token that was never issued.
        case unknownToken
        /// The sign-in was too long ago.
        case sessionExpired
        /// A code that is unknown or too old, or presented without what belongs to it.
        case badCode
        /// A code that was used before; what it brought is over.
        case codeReplayed
        /// The client did not show who it is, or may not do this.
        case badClient
        /// More was asked for than was granted.
        case badScope
        /// A device asked, and its user has not answered.
        case pending
        /// A device asked too soon.
        case slowDown
        /// The user of a device said no.
        case denied
        /// The request made no sense.
        case badRequest
        /// A fault got in the way before anything was decided.
        case fault
    }

    public let time: Date
    /// The `grant_type` if it is one of the known ones, else `other`.
    public let grant: String
    /// The number of the sign-in, from 0.
    public var family: Int?
    /// The generation of the refresh token that was presented, from 0.
    public var presented: Int?
    /// The generation of the access token that was issued, from 0.
    public var issued: Int?
    public let outcome: Outcome
    /// Whether a refresh token was presented again, or the same generation refreshed a second time.
    public var isDuplicate: Bool
    /// Whether it repeats a call whose answer never reached the client; not a duplicate.
    public var isRetryAfterLostAnswer: Bool
    /// Whether the answer to this call was kept from the client.
    public var answerLost: Bool

    init(time: Date, grant: String, decision: TokenDecision, answerLost: Bool = false) {
        self.time = time
        self.grant = GrantType(rawValue: grant)?.rawValue ?? "other"
        family = decision.family
        presented = decision.presented
        issued = decision.tokens?.generation
        outcome = decision.outcome
        isDuplicate = decision.repetition == .duplicate
        isRetryAfterLostAnswer = decision.repetition == .afterLostAnswer
        self.answerLost = answerLost
    }

    /// Whether the client asked for a refresh.
    public var isRefresh: Bool { grant == "refresh_token" }

    /// Reads a line of the log.
    public init(jsonLine: some StringProtocol) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            try Self.timeFormat.parse(try decoder.singleValueContainer().decode(String.self))
        }
        self = try decoder.decode(Self.self, from: Data(jsonLine.utf8))
    }

    /// The line of the log, without the line break.
    public var jsonLine: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(date.formatted(Self.timeFormat))
            }
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
