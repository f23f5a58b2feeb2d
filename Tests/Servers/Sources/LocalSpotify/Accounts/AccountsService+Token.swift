// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The token endpoint: recognizes the grant, decides, and makes the answer.
extension AccountsService {
    /// Decides on a call of `POST /api/token`.
    mutating func decide(on call: Call, at now: Date) -> TokenDecision {
        // RFC 6749 §3.2: a parameter must not be repeated.
        if call.form.hasRepetition { return .badRequest("A parameter was sent more than once") }
        switch ClientAuthentication(call, clients: clients) {
        case .refused(let refusal): return .refused(.badClient, refusal)
        case .client(let client): return decide(on: call.form, by: client, at: now)
        case .noClient: return decide(on: call.form, by: nil, at: now)
        }
    }

    /// Makes the HTTP answer for a decision.
    func answer(to decision: TokenDecision) throws -> Answer {
        if let tokens = decision.tokens {
            return try .json(200, TokenAnswer(tokens, policy: families.policy), fields: Answer.uncached)
        }
        return try (decision.refusal ?? Self.refusal(for: decision.outcome)).answer
    }

    /// Decides on a form. The client is authenticated if it has a secret; `nil` if the request names no client.
    mutating func decide(on form: Parameters, by client: LocalSpotify.Client?, at now: Date) -> TokenDecision {
        guard let name = form["grant_type"] else {
            return .refused(.badRequest, "unsupported_grant_type", "grant_type parameter is missing")
        }
        switch GrantType(rawValue: name) {
        case .authorizationCode: return exchangeCode(form, by: client, at: now)
        case .refreshToken: return refresh(form, by: client, at: now)
        case .clientCredentials: return grantToClient(form, client, at: now)
        case .deviceCode: return exchangeDeviceCode(form, by: client, at: now)
        case nil: return .refused(.badRequest, "unsupported_grant_type", "grant_type is not supported")
        }
    }

    // MARK: -

    private static func refusal(for outcome: TokenCall.Outcome) -> Refusal {
        switch outcome {
        case .badCode, .codeReplayed: Refusal("invalid_grant", "Invalid authorization code")
        case .unknownToken: Refusal("invalid_grant", "Invalid refresh token")
        case .sessionExpired: Refusal("invalid_grant", "Refresh token expired")
        case .familyEnded, .reuseDetected: Refusal("invalid_grant", "Refresh token revoked")
        default: Refusal("invalid_request", "The request is not valid")
        }
    }

    /// RFC 6749 §4.1.3, RFC 7636 §4.6.
    private mutating func exchangeCode(
        _ form: Parameters, by client: LocalSpotify.Client?, at now: Date
    ) -> TokenDecision {
        guard let code = form["code"] else { return .badRequest("code must be supplied") }
        guard let claim = codes.claim(of: code) else { return TokenDecision(outcome: .badCode) }
        if claim.grant.clientID != nil, client == nil {
            return .refused(.badClient, .client("client_id must be supplied", inHeader: false))
        }
        switch codes.redeem(code, at: now) {
        case .bad: return TokenDecision(outcome: .badCode)
        case .replayed(let family):
            if let family { families.end(family) }
            return TokenDecision(outcome: .codeReplayed, family: family)
        case .good:
            // A failed exchange uses the code up, so that an attacker cannot try again.
            if let refusal = problem(with: form, for: claim, by: client) { return .refused(.badCode, refusal) }
            var grant = claim.grant
            grant.clientID = client?.id
            let decision = families.signIn(grant, at: now)
            codes.note(decision.family, broughtBy: code)
            return decision
        }
    }

    private func problem(
        with form: Parameters, for claim: AuthorizationCodes.Claim, by client: LocalSpotify.Client?
    ) -> Refusal? {
        guard let owner = claim.grant.clientID else { return nil }  // a code of `makeCode()` is bound to no client
        if owner != client?.id { return Refusal("invalid_grant", "Invalid authorization code") }
        if form["redirect_uri"] != claim.redirectURI { return Refusal("invalid_grant", "Invalid redirect URI") }
        switch (claim.codeChallenge, form["code_verifier"]) {
        case (nil, nil): return nil
        case (let challenge?, let verifier?) where CodeChallenge.isMet(challenge, by: verifier): return nil
        case (nil, _?): return Refusal("invalid_grant", "There was no code_challenge")  // RFC 9700 §4.8.2
        case (_?, nil): return Refusal("invalid_grant", "code_verifier must be supplied")
        default: return Refusal("invalid_grant", "code_verifier was incorrect")
        }
    }

    /// RFC 6749 §6.
    private mutating func refresh(
        _ form: Parameters, by client: LocalSpotify.Client?, at now: Date
    ) -> TokenDecision {
        guard let token = form["refresh_token"] else { return .badRequest("refresh_token must be supplied") }
        guard let grant = families.grant(of: token) else { return TokenDecision(outcome: .unknownToken) }
        if let owner = grant.clientID, owner != client?.id {
            return client == nil
                ? .refused(.badClient, .client("client_id must be supplied", inHeader: false))
                : TokenDecision(outcome: .unknownToken)
        }
        guard form["scope"] != nil else { return families.refresh(with: token, at: now) }
        guard let scopes = Scope.parse(form["scope"]), scopes.isSubset(of: grant.scopes) else {
            return .refused(.badScope, "invalid_scope", "More scopes than were granted")
        }
        return families.refresh(with: token, scopes: scopes, at: now)
    }

    /// RFC 6749 §4.4: only for clients with a secret.
    private mutating func grantToClient(
        _ form: Parameters, _ client: LocalSpotify.Client?, at now: Date
    ) -> TokenDecision {
        guard let client else { return .refused(.badClient, .client("client_id must be supplied", inHeader: false)) }
        guard !client.isPublic else {
            return .refused(.badClient, "unauthorized_client", "client_credentials needs a client with a secret")
        }
        return families.signIn(Grant(clientID: client.id, scopes: [], hasUser: false), at: now)
    }
}

private struct TokenAnswer: Encodable {
    let accessToken: String
    let tokenType = "Bearer"
    let expiresIn: Int
    let refreshToken: String?
    let scope: String

    init(_ tokens: IssuedTokens, policy: TokenPolicy) {
        accessToken = tokens.accessToken
        refreshToken = tokens.refreshToken
        expiresIn = Int(policy.accessTokenLifetime.components.seconds)
        scope = Scope.list(tokens.scopes)
    }
}
