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
        /// The spent refresh token was presented again within the grace and brought the same successor.
        case replayed
        /// A spent refresh token was presented again, and the family is over.
        case reuseDetected
        /// A refresh token of a family that is over.
        case familyEnded
        /// A refresh token that was never issued.
        case unknownToken
        /// The sign-in has reached its maximum lifetime.
        case sessionExpired
        /// The code is unknown or expired, or does not match its verifier, client or redirect URI.
        case badCode
        /// The code was used before, and its family is over.
        case codeReplayed
        /// The client is not authenticated, or may not use this grant.
        case badClient
        /// The client asked for more scopes than were granted.
        case badScope
        /// A device polled, and its user has not answered.
        case pending
        /// A device polled too soon.
        case slowDown
        /// The user of a device refused.
        case denied
        /// The request was not valid.
        case badRequest
        /// An injected fault answered before any decision.
        case fault
    }

    public let time: Date
    /// The `grant_type` if it is known, else `other`.
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
    /// Whether it repeats a call whose answer did not reach the client. Such a call is no duplicate.
    public var isRetryAfterLostAnswer: Bool
    /// Whether an injected fault dropped the answer to this call.
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
