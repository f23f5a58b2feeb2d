// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the accounts service decided on a token call.
struct TokenDecision: Sendable {
    /// Whether the same refresh was asked for before.
    enum Repetition: Hashable, Sendable {
        case none
        /// The client had an answer and asked again.
        case duplicate
        /// The answer to the first call was lost on the way.
        case afterLostAnswer
    }

    var outcome: TokenCall.Outcome
    /// The number of the sign-in, from 0.
    var family: Int?
    /// The generation of the refresh token that was presented.
    var presented: Int?
    var repetition = Repetition.none
    var tokens: IssuedTokens?
    /// What the client is told, where the outcome alone does not say it.
    var refusal: Refusal?
}

extension TokenDecision {
    static func refused(_ outcome: TokenCall.Outcome, _ error: String, _ description: String) -> Self {
        refused(outcome, Refusal(error, description))
    }

    static func refused(_ outcome: TokenCall.Outcome, _ refusal: Refusal) -> Self {
        TokenDecision(outcome: outcome, refusal: refusal)
    }

    static func badRequest(_ description: String) -> Self { refused(.badRequest, "invalid_request", description) }
}

/// What an access token is worth.
enum AccessTokenStanding: Hashable, Sendable {
    case valid
    case expired
    /// Unknown or revoked.
    case invalid
}
