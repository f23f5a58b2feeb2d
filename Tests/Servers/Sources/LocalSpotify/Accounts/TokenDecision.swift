// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The decision of the accounts service on a call of the token endpoint.
struct TokenDecision: Sendable {
    /// Whether, and why, the call repeats an earlier refresh.
    enum Repetition: Hashable, Sendable {
        case none
        /// The client had received the answer to the first call.
        case duplicate
        /// The answer to the first call was lost.
        case afterLostAnswer
    }

    var outcome: TokenCall.Outcome
    /// The number of the sign-in, from 0.
    var family: Int?
    /// The generation of the refresh token that was presented.
    var presented: Int?
    var repetition = Repetition.none
    var tokens: IssuedTokens?
    /// The error for the client, if the outcome alone does not determine it.
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

/// The state of an access token.
enum AccessTokenStanding: Hashable, Sendable {
    case valid
    case expired
    /// Unknown or revoked.
    case invalid
}
