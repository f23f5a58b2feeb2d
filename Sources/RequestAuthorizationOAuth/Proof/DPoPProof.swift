// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// Proves requests with one token (RFC 9449 §7).
struct DPoPProof: PromptProof, RedactedDescription {
    static let field = "DPoP"

    private let signer: ProofSigner
    private let tokenHash: String
    private let nonces: ProofNonces
    private let clock: any AuthorizationClock

    init(_ signer: ProofSigner, accessToken: String, nonces: ProofNonces, clock: any AuthorizationClock) {
        (self.signer, self.nonces, self.clock) = (signer, nonces, clock)
        tokenHash = ProofSigner.hash(of: accessToken)
    }

    @concurrent
    func fields(for request: ProvenRequest) async throws -> [String: String] {
        let server = ProofNonces.Server.resource(request.origin)
        let claims = try await nonces.nextProof(for: server, request: request, by: clock)
        let proof = try nonces.proof(claims, to: server) {
            let proof = try signer.proof(
                method: request.method, uri: request.uri, claims: claims, tokenHash: tokenHash)
            try Task.checkCancellation()  // It would not be sent, and others would wait for the answer.
            return proof
        }
        return [Self.field: proof]
    }

    func withdraw(_ request: ProvenRequest, isSent: Bool) { nonces.withdraw(request, isSent: isSent, at: clock.uptime) }

    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome {
        let answer = ProofNonces.Answer(
            response: response, error: Self.error(of: response), server: .resource(request.origin),
            proof: request.proof[ProofNonces.field])
        let (outcome, correction) = nonces.learn(from: answer, by: clock)
        if let correction { nonces.keep(correction, for: request, at: clock.uptime) }
        return outcome
    }

    /// The error of the proof: that of the first challenge of the scheme `DPoP` that names one.
    ///
    /// RFC 9449 §9 sends it with a 401, some servers with a 400.
    private static func error(of response: some AuthorizableResponse) -> String? {
        guard response.statusCode == 401 || response.statusCode == 400 else { return nil }
        return AuthenticationChallenge.parse(response.headerValues(for: "WWW-Authenticate")).lazy
            .filter { $0.isScheme("DPoP") }.compactMap(\.error).first
    }
}
#endif

/// A server refused a proof, and another proof would be refused too.
package struct ProofRefused: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String {
        "the server refused the proof of a request; check that the URL is the one that the server sees, and that the "
            + "clock is right"
    }
}
