// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension TokenEndpoint {
    /// The key for a request: the key that a token is bound to, or a new one; `nil` if tokens are not bound to a key.
    ///
    /// - Throws: ``ProofUnavailable`` if the token is bound to a key that is lost, or if the service has no `proof`.
    func proofKey(replacing old: OAuthToken? = nil, _ key: ProofKey? = nil) throws -> ProofKey? {
        let known = key ?? old?.proofKey
        guard let proof else {
            if known != nil || old?.isBound == true { throw ProofUnavailable(.notConfigured) }
            return nil
        }
        if let known { return known }
        if old?.isBound == true { throw ProofUnavailable(.keyLost) }
        #if canImport(CryptoKit) || Crypto
        return try ProofKey.generated(proof.keyStorage)
        #else
        throw ProofUnavailable(.notConfigured)
        #endif
    }

    /// Posts a form with a proof, and again if the server requires a nonce or another time in the proof.
    ///
    /// Each time the proof is new and the client is authenticated anew.
    ///
    /// - Throws: as ``post(_:to:)``; `InvalidTokenResponse` without a valid nonce; ``ProofUnavailable``.
    func post(
        _ parameters: [(name: String, value: String)], to url: URL, provenBy key: ProofKey
    ) async throws -> TokenResponse {
        #if canImport(CryptoKit) || Crypto
        guard let origin = Origin(url) else { throw AuthorizationServerError(.notAURL, member: "endpoint") }
        let signer = try ProofSigner(key)
        var mayRepeat: Set<ProofRepetition> = [.nonce, .clock]
        while true {
            let claims = nonces.claims(for: .authorization(origin), at: clock.now)
            let proof = try signer.proof(method: "POST", uri: url.absoluteString, claims: claims, tokenHash: nil)
            let response = try await post(parameters, to: url, fields: [(name: DPoPProof.field, value: proof)])
            guard let reason = try repetition(after: response, from: origin), mayRepeat.remove(reason) != nil else {
                return response
            }
        }
        #else
        throw ProofUnavailable(.notConfigured)
        #endif
    }

    /// Stores the nonce and the time of an answer (RFC 9449 §8).
    ///
    /// - Returns: the part that is new in the next proof, if the server refused the last one because of it.
    private func repetition(after response: TokenResponse, from origin: Origin) throws -> ProofRepetition? {
        let server = ProofNonces.Server.authorization(origin)
        let (hasNonce, fault) = nonces.takeNonce(of: response, from: server)
        guard (400..<500).contains(response.statusCode) else { return nil }
        switch (try? AnswerObject(response))?.text("error") {
        case "use_dpop_nonce":
            _ = nonces.takeDate(of: response, from: server, at: clock.now)
            guard hasNonce else {
                throw InvalidTokenResponse(
                    status: response.statusCode, field: "DPoP-Nonce", problem: fault == nil ? .missing : .malformed)
            }
            return .nonce
        case "invalid_dpop_proof":
            return nonces.takeDate(of: response, from: server, at: clock.now) ? .clock : nil
        default: return nil
        }
    }
}

/// The reason why a request is sent again with another proof.
private enum ProofRepetition {
    case nonce, clock
}
