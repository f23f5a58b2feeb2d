// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Stage {
    enum Admission {
        case admitted(IssuedAccessToken)
        case refused(Answer)
    }

    /// Whether a call has a token that suffices.
    func admit(_ call: Call, _ method: String) -> Admission {
        guard let field = call.fields["authorization"] else { return .refused(challenge(401)) }
        let parts = field.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let token = accessTokens[parts[1]] else {
            violate("token", "\(method) has an access token that no server of this scenario has issued")
            return .refused(challenge(401, error: "invalid_token"))
        }
        let scheme = parts[0].lowercased()
        guard scheme == (token.thumbprint == nil ? "bearer" : "dpop") else {
            violate("proof-scheme", "\(method) has its token with the scheme \(parts[0])")
            return .refused(challenge(401, error: "invalid_token"))
        }
        if method == "tools/call", isStaleEarlierToken(token) { accessTokens[parts[1]]?.isRefused = true }
        // After the move all tokens of the old server are refused, also new ones.
        if accessTokens[parts[1]]?.isRefused == true || (hasMoved && token.role == .server) {
            return .refused(challenge(401, error: "invalid_token"))
        }
        if let thumbprint = token.thumbprint {
            switch checkProof(of: call, url: url, token: parts[1]) {
            case .valid(thumbprint): break
            case .valid: return .refused(badProof("the proof has another key than the token"))
            case .invalid(let reason): return .refused(badProof(reason))
            case .needsNonce(let nonce):
                return .refused(challenge(401, error: "use_dpop_nonce", fields: ["DPoP-Nonce": nonce]))
            }
        }
        return suffices(token, for: method)
    }

    private func badProof(_ reason: String) -> Answer {
        violate("proof", "a call: \(reason)")
        return challenge(401, error: "invalid_dpop_proof")
    }

    /// In the variants with wrong metadata the session's first access token has a short life, and its refresh token is good.
    private func isStaleEarlierToken(_ token: IssuedAccessToken) -> Bool {
        variant == .earlierSession && scenario.fault == .metadata && token.isFirstOfEarlierSession
    }

    private func suffices(_ token: IssuedAccessToken, for method: String) -> Admission {
        let needed = scopesNeeded(by: method)
        if needed == Self.unobtainable || !token.scopes.isSuperset(of: needed) {
            let missing = needed.subtracting(token.scopes)
            let named = missing.isEmpty ? needed : missing
            return .refused(challenge(403, error: "insufficient_scope", scopes: named.sorted()))
        }
        return .admitted(token)
    }

    private func scopesNeeded(by method: String) -> Set<String> {
        let isToolCall = method == "tools/call"
        return switch (scenario.fault, variant) {
        case (.scopes, let variant) where variant == .plain || isToolCall: Self.unobtainable
        case (.response, .earlierSession) where isToolCall: ["mcp:basic", "mcp:write"]
        default: scenario.resource.scopesOfMethods[method] ?? []
        }
    }

    /// No token suffices, whatever its scopes are.
    private static let unobtainable: Set<String> = ["mcp:admin"]

    // MARK: Challenges

    /// RFC 6750 §3, RFC 9728 §5.1, RFC 9449 §7.1.
    func challenge(
        _ status: Int, error: String? = nil, scopes: [String]? = nil, fields: [String: String] = [:]
    ) -> Answer {
        var parts: [String] = []
        if let error { parts.append("error=\"\(error)\"") }
        let scopes = scopes ?? scenario.resource.challengeScopes
        if !scopes.isEmpty { parts.append("scope=\"\(scopes.joined(separator: " "))\"") }
        if scenario.resource.challengeNamesMetadata, let path = scenario.resource.metadataPath {
            parts.append("resource_metadata=\"\(bases[.resource, default: ""])\(path)\"")
        }
        if scenario.proofs != .none { parts.append("algs=\"ES256\"") }
        let scheme = scenario.proofs == .none ? "Bearer" : "DPoP"
        let field = parts.isEmpty ? scheme : "\(scheme) \(parts.joined(separator: ", "))"
        return .json(
            ["error": error ?? "unauthorized"], status: status, fields.merging(["WWW-Authenticate": field]) { $1 })
    }
}
#endif
