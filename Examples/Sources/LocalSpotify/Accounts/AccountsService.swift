// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The token endpoint: which grant is meant, what was decided, how it is answered.
struct AccountsService: Sendable {
    private(set) var codes: AuthorizationCodes
    private(set) var families: TokenFamilies

    init(policy: TokenPolicy, secrets: SecretSource = SecretSource()) {
        codes = AuthorizationCodes(secrets: secrets)
        families = TokenFamilies(policy: policy, secrets: secrets)
    }

    /// Decides on a call of `POST /api/token`.
    mutating func decide(on form: [String: String], at now: Date) -> TokenDecision {
        switch form["grant_type"] {
        case "authorization_code":
            guard let code = form["code"] else { return TokenDecision(outcome: .badRequest) }
            return codes.redeem(code, at: now) ? families.signIn(at: now) : TokenDecision(outcome: .badCode)
        case "refresh_token":
            guard let token = form["refresh_token"] else { return TokenDecision(outcome: .badRequest) }
            return families.refresh(with: token, at: now)
        default:
            return TokenDecision(outcome: .badRequest)
        }
    }

    /// Puts a decision into words.
    func answer(to form: [String: String], decision: TokenDecision) throws -> Answer {
        if let tokens = decision.tokens {
            return try .json(200, TokenAnswer(tokens, policy: families.policy), fields: Self.uncached)
        }
        let (code, description) = refusal(of: form, decision: decision)
        return try .authenticationError(code, description, fields: Self.uncached)
    }

    mutating func makeCode(at now: Date) -> String { codes.issue(at: now) }
    mutating func noteLostAnswer(to decision: TokenDecision) { families.noteLostAnswer(to: decision) }
    mutating func revokeAccessTokens() { families.revokeAccessTokens() }
    mutating func revokeFamilies() { families.revokeFamilies() }

    // MARK: -

    /// RFC 6749 §5.1: answers with tokens are not to be cached.
    private static let uncached = ["Cache-Control": "no-store"]

    private func refusal(of form: [String: String], decision: TokenDecision) -> (code: String, description: String) {
        switch decision.outcome {
        case .badCode: ("invalid_grant", "Invalid authorization code")
        case .unknownToken: ("invalid_grant", "Invalid refresh token")
        case .familyEnded, .reuseDetected: ("invalid_grant", "Refresh token revoked")
        default:
            switch form["grant_type"] {
            case "authorization_code": ("invalid_request", "code must be supplied")
            case "refresh_token": ("invalid_request", "refresh_token must be supplied")
            case nil: ("unsupported_grant_type", "grant_type parameter is missing")
            default: ("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
            }
        }
    }
}

private struct TokenAnswer: Encodable {
    let accessToken: String
    let tokenType = "Bearer"
    let expiresIn: Int
    let refreshToken: String?
    let scope = "user-read-playback-state playlist-read-private"

    init(_ tokens: IssuedTokens, policy: TokenPolicy) {
        accessToken = tokens.accessToken
        refreshToken = tokens.refreshToken
        expiresIn = Int(policy.accessTokenLifetime.components.seconds)
    }
}
