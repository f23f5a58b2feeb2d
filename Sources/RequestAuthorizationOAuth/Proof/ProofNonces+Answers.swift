// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension ProofNonces {
    /// An answer to a request with a proof.
    struct Answer<Response: AuthorizableResponse> {
        let response: Response
        /// The error code, if the server refused the request.
        let error: String?
        let server: Server
        /// The proof of the request, if it is known.
        let proof: String?
    }

    /// Learns what a server requires (RFC 9449 §8.2), and says what its answer means for the proof.
    ///
    /// An answer may be shown twice.
    ///
    /// - Returns: the outcome, and the clock for one more try if the server refused the time of the proof.
    func learn(
        from answer: Answer<some AuthorizableResponse>, by clock: any AuthorizationClock
    ) -> (outcome: ProofOutcome, correction: ProofCorrection?) {
        let (now, uptime) = (clock.now, clock.uptime)
        let (nonce, fault) = Self.nonce(in: answer.response)
        return state.withLock { state in
            let sent = answer.proof.flatMap { state.sent[$0] }
            if let refusal = sent?.refusal { return (refusal, nil) }
            if let nonce { state.keep(nonce, of: answer.server, at: uptime) }
            var correction: ProofCorrection?
            let outcome: ProofOutcome
            switch answer.error {
            case "use_dpop_nonce":
                outcome = Self.outcome(asking: nonce, insteadOf: sent?.claims.nonce, fault)
                // The server has not judged the corrected time yet.
                if let claims = sent?.claims, claims.isCorrected { correction = ProofCorrection(clock: claims.clock) }
            case "invalid_dpop_proof":
                correction = sent.flatMap {
                    state.correct($0.claims, of: answer.server, by: answer.response, at: now, uptime)
                }
                outcome = correction == nil ? .refused(ProofRefused()) : .newProofNeeded
            case let error:
                // Some servers look at the client's assertion first. It has the same time, which may be wrong by now.
                if error == "invalid_client", sent?.claims.clock != nil { state.remember(nil, of: answer.server) }
                outcome = fault.map { .ignored($0) } ?? .settled
            }
            state.end(answer, sent?.claims, nonce: nonce, outcome, at: uptime)
            return (outcome, correction)
        }
    }

    /// Notes that the answer to a proof will not come.
    func lost(_ proof: String, at server: Server) {
        state.withLock { state in
            state.sent.end(proof)
            state.turns.wakeNext(server)
        }
    }

    /// Notes that a resource's answer to a proof will not come. One that was not sent leaves its time to the next.
    func withdraw(_ request: ProvenRequest, isSent: Bool, at uptime: Duration) {
        guard let proof = request.proof[Self.field], let sent = state.withLock({ $0.sent[proof] }), sent.isAwaited
        else { return }
        let claims = sent.claims
        if claims.isCorrected, !isSent { keep(ProofCorrection(clock: claims.clock), for: request, at: uptime) }
        lost(proof, at: .resource(request.origin))
    }

    /// Keeps the clock for a request to a resource that is made once more.
    func keep(_ correction: ProofCorrection, for request: ProvenRequest, at uptime: Duration) {
        state.withLock { state in
            if state.corrections.count >= Self.limit { state.corrections.removeFirst() }
            state.corrections.append((request, correction, uptime))
        }
    }

    // MARK: -

    /// A server that asks for the nonce that it has just refused would refuse it again.
    private static func outcome(
        asking nonce: String?, insteadOf refused: ServerNonce?, _ fault: InvalidProofNonce?
    ) -> ProofOutcome {
        guard let nonce else { return .refused(fault ?? InvalidProofNonce(.missing)) }
        return nonce == refused?.text ? .refused(InvalidProofNonce(.repeated)) : .newProofNeeded
    }

    /// The nonce of an answer, or the fault of an invalid one.
    private static func nonce(in response: some AuthorizableResponse) -> (nonce: String?, fault: InvalidProofNonce?) {
        let values = response.headerValues(for: "DPoP-Nonce")
        guard let nonce = values.first else { return (nil, nil) }
        guard nonce.utf8.count <= longest else { return (nil, InvalidProofNonce(.tooLong)) }
        guard values.count == 1, !nonce.isEmpty, nonce.utf8.allSatisfy(isPartOfNonce) else {
            return (nil, InvalidProofNonce(.malformed))
        }
        return (nonce, nil)
    }

    /// Whether a byte is visible ASCII, but no quotation mark and no backslash (RFC 9449 §8.1).
    private static func isPartOfNonce(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

extension ProofNonces.State {
    fileprivate mutating func keep(_ nonce: String, of server: ProofNonces.Server, at uptime: Duration) {
        guard nonces[server]?.text != nonce else { return }
        if nonces[server] == nil, nonces.count >= ProofNonces.limit { _ = nonces.popFirst() }
        nonces[server] = ServerNonce(text: nonce, receivedAt: uptime)
    }

    /// Notes that a proof was answered, and whether requests to the server have to take turns.
    fileprivate mutating func end(
        _ answer: ProofNonces.Answer<some AuthorizableResponse>, _ claims: ProofClaims?, nonce: String?,
        _ outcome: ProofOutcome, at uptime: Duration
    ) {
        var refusal: ProofOutcome?
        switch outcome {
        case .newProofNeeded, .refused: refusal = outcome
        case .settled, .ignored: break
        }
        if let proof = answer.proof { sent.end(proof, refusal: refusal) }
        if let used = claims?.nonce {
            if answer.error == "use_dpop_nonce", nonce != used.text, uptime - used.receivedAt <= ProofTurns.youth {
                turns.begin(answer.server, at: uptime)
            } else if refusal == nil, nonce == nil || nonce == used.text {
                turns.relax(answer.server)
            }
        }
        turns.proceed(answer.server, at: uptime)
    }
}
