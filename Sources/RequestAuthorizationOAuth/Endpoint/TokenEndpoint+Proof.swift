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
        return try ProofKey.generated(proof.keyStorage, proof.algorithm)
        #else
        throw ProofUnavailable(.notConfigured)
        #endif
    }

    /// Posts a form, with a proof if there is a key. Posts again if the server requires a nonce or another time in it.
    ///
    /// It sends at most three times, and only once because of the time. Each time the proof is new and the client is
    /// authenticated anew.
    ///
    /// - Throws: as ``post(_:to:)``; `InvalidTokenResponse` without a valid nonce; ``ProofUnavailable``.
    func post(
        _ parameters: [(name: String, value: String)], to url: URL, provenBy key: ProofKey?
    ) async throws -> TokenResponse {
        #if canImport(CryptoKit) || Crypto
        guard let key else { return try await post(parameters, to: url) }
        guard let origin = Origin(url) else { throw AuthorizationServerError(.notAURL, member: "endpoint") }
        let (signer, server) = (try ProofSigner(key), ProofNonces.Server.authorization(origin))
        var (triesLeft, correction) = (3, ProofCorrection?.none)
        while true {
            triesLeft -= 1
            let claims = try await nonces.nextProof(for: server, correctedBy: correction, by: clock)
            let proof = try nonces.proof(claims, to: server) {
                try signer.proof(method: "POST", uri: url.absoluteString, claims: claims, tokenHash: nil)
            }
            let response: TokenResponse
            do {
                response = try await post(parameters, to: url, fields: [(name: DPoPProof.field, value: proof)])
            } catch {
                nonces.lost(proof, at: server)
                throw error
            }
            guard try needsNewProof(after: response, to: proof, from: server, &correction), triesLeft > 0 else {
                return response
            }
        }
        #else
        guard key == nil else { throw ProofUnavailable(.notConfigured) }
        return try await post(parameters, to: url)
        #endif
    }

    /// Learns what the server requires (RFC 9449 §8).
    ///
    /// - Parameter correction: gets the clock for the next proof, if the server refused the time of the last one.
    /// - Returns: whether the server refused the proof, and may accept another one.
    private func needsNewProof(
        after response: TokenResponse, to proof: String, from server: ProofNonces.Server,
        _ correction: inout ProofCorrection?
    ) throws -> Bool {
        let isRefusal = (400..<500).contains(response.statusCode)
        let answer = ProofNonces.Answer(
            response: response, error: isRefusal ? (try? AnswerObject(response))?.text("error") : nil, server: server,
            proof: proof)
        let (outcome, newCorrection) = nonces.learn(from: answer, by: clock)
        correction = newCorrection
        switch outcome {
        case .newProofNeeded: return true
        case .refused(let fault as InvalidProofNonce) where fault.problem != .repeated:
            throw InvalidTokenResponse(
                status: response.statusCode, field: "DPoP-Nonce",
                problem: fault.problem == .missing ? .missing : .malformed)
        case .refused, .settled, .ignored: return false
        }
    }
}
