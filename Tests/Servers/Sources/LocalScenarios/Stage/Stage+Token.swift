// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

extension Stage {
    /// RFC 6749 §3.2.
    func tokenAnswer(_ call: Call, _ index: Int) -> Answer {
        guard let form = call.form else { return .error("invalid_request", "a form is needed") }
        let grant = form["grant_type"] ?? ""
        if let reason = faultOfEarlierRequests(at: index) { violate("no-retry", reason) }
        let answer = tokenAnswer(call, form, grant, index)
        record.events.append(
            .init(
                kind: .token, role: servers[index].role, method: grant, client: form["client_id"],
                scopes: form.scopes, isGood: answer.status == 200))
        return answer
    }

    /// An assertion that was refused is refused again (RFC 7523): there is nothing to try.
    private func faultOfEarlierRequests(at index: Int) -> String? {
        guard scenario.givenClient == .workload, let last = record.events.last(where: { $0.kind == .token }) else {
            return nil
        }
        return last.isGood ? nil : "a token request followed one that was refused"
    }

    private func tokenAnswer(_ call: Call, _ form: Parameters, _ grant: String, _ index: Int) -> Answer {
        guard form.repeated.isEmpty else { return .error("invalid_request", "a parameter is repeated") }
        guard servers[index].conduct.grants.contains(grant) else {
            violate("grant", "the server does not support the grant that was used: \(grant)")
            return .error("unsupported_grant_type", "the server supports \(servers[index].conduct.grants)")
        }
        var thumbprint: String?
        if scenario.proofs != .none {
            switch checkProof(of: call, url: servers[index].endpoint("token"), token: nil) {
            case .valid(let key): thumbprint = key
            case .needsNonce(let nonce):
                return .error("use_dpop_nonce", "a nonce is needed", ["DPoP-Nonce": nonce])
            case .invalid(let reason):
                violate("proof", "a token request: \(reason)")
                return .error("invalid_dpop_proof", reason)
            }
        }
        switch authenticate(call, form, grant, at: index) {
        case .refused(let answer): return answer
        case .client(let client):
            return switch grant {
            case Grant.authorizationCode: exchangeCode(form, client, thumbprint, index)
            case Grant.refreshToken: refresh(form, client, thumbprint, index)
            case Grant.clientCredentials: credentialsAnswer(form, client, thumbprint, index)
            default: assertionAnswer(form, client, index)
            }
        }
    }

    // MARK: Code and refresh

    /// RFC 6749 §4.1.3, RFC 7636 §4.6.
    private func exchangeCode(_ form: Parameters, _ client: KnownClient, _ thumbprint: String?, _ index: Int) -> Answer
    {
        guard let name = form["code"], let code = servers[index].codes[name], code.client == client.id else {
            violate("code", "a code was presented that the server has not issued to this client")
            return .error("invalid_grant", "the code is unknown")
        }
        if code.isUsed { violate("code-once", "a code was presented twice") }
        guard !code.isUsed else { return .error("invalid_grant", "the code was used") }
        servers[index].codes[name]?.isUsed = true
        guard form["redirect_uri"] == code.redirectURI else {
            violate("redirect-uri", "the token request has another redirect URI than the authorization request")
            return .error("invalid_grant", "the redirect URI is another one")
        }
        guard let verifier = form["code_verifier"], (43...128).contains(verifier.utf8.count),
            Data(verifier.utf8).sha256 == code.challenge
        else {
            violate("pkce-verifier", "the code verifier is missing or does not belong to the challenge")
            return .error("invalid_grant", "the code verifier is wrong")
        }
        guard checkResource(of: form, in: "a token request") else {
            return .error("invalid_target", "the resource is another one")
        }
        return tokens(at: index, to: client, family: Material.random(), scopes: code.scopes, thumbprint: thumbprint)
    }

    /// RFC 6749 §6, with rotation.
    private func refresh(_ form: Parameters, _ client: KnownClient, _ thumbprint: String?, _ index: Int) -> Answer {
        guard let name = form["refresh_token"], let token = servers[index].refreshTokens[name],
            token.client == client.id, token.thumbprint == thumbprint
        else {
            violate("refresh-token", "a refresh token was presented that the server has not issued to this client")
            return .error("invalid_grant", "the refresh token is unknown")
        }
        guard !token.isUsed else {
            violate("refresh-rotation", "a refresh token was presented twice")
            return .error("invalid_grant", "the refresh token was used")
        }
        servers[index].refreshTokens[name]?.isUsed = true
        guard checkResource(of: form, in: "a refresh") else {
            return .error("invalid_target", "the resource is another one")
        }
        return tokens(at: index, to: client, family: token.family, scopes: token.scopes, thumbprint: thumbprint)
    }

    // MARK: Issuing

    func tokens(
        at index: Int, to client: KnownClient, family: String, scopes: Set<String>, thumbprint: String?
    ) -> Answer {
        let issued = issue(at: index, to: client, family: family, scopes: scopes, thumbprint: thumbprint)
        var members: [String: Any] = [
            "access_token": issued.access, "token_type": thumbprint == nil ? "Bearer" : "DPoP", "expires_in": 3600,
        ]
        members["refresh_token"] = issued.refresh
        if !scopes.isEmpty { members["scope"] = scopes.sorted().joined(separator: " ") }
        return .json(members)
    }

    func issue(
        at index: Int, to client: KnownClient, family: String, scopes: Set<String>, thumbprint: String?
    ) -> (access: String, refresh: String?) {
        let access = "access-" + Material.random()
        accessTokens[access] = IssuedAccessToken(
            role: servers[index].role, family: family, scopes: scopes, thumbprint: thumbprint,
            isFirstOfEarlierSession: record.context.session == nil && family == Record.earlierFamily)
        guard client.grants.contains(Grant.refreshToken) else { return (access, nil) }
        let refresh = "refresh-" + Material.random()
        servers[index].refreshTokens[refresh] = IssuedRefreshToken(
            client: client.id, family: family, scopes: scopes, thumbprint: thumbprint)
        return (access, refresh)
    }
}
#endif
