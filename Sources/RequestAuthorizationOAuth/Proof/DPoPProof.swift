// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// Proves requests with one token (RFC 9449 §7).
struct DPoPProof: RequestProof, RedactedDescription {
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
        let claims = nonces.claims(for: .resource(request.origin), at: clock.now)
        let proof = try signer.proof(method: request.method, uri: request.uri, claims: claims, tokenHash: tokenHash)
        return [Self.field: proof]
    }

    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome {
        let server = ProofNonces.Server.resource(request.origin)
        let (hasNonce, fault) = nonces.takeNonce(of: response, from: server)
        let error = response.statusCode == 401 ? Self.error(of: response) : nil
        switch error {
        case "use_dpop_nonce":
            _ = nonces.takeDate(of: response, from: server, at: clock.now)
            return hasNonce ? .newProofNeeded : .refused(fault ?? InvalidProofNonce(.missing))
        case "invalid_dpop_proof":
            let wasWrong = nonces.takeDate(of: response, from: server, at: clock.now)
            return wasWrong ? .newProofNeeded : .refused(ProofRefused())
        default: return fault.map { .ignored($0) } ?? .settled
        }
    }

    /// The error of the proof: that of the first challenge of the scheme `DPoP` that names one.
    private static func error(of response: some AuthorizableResponse) -> String? {
        AuthenticationChallenge.parse(response.headerValues(for: "WWW-Authenticate")).lazy
            .filter { $0.isScheme("DPoP") }.compactMap(\.error).first
    }
}

/// A server refused a proof, and another proof would be refused too.
public struct ProofRefused: Error, Hashable, Sendable, CustomStringConvertible {
    public init() {}

    public var description: String {
        "the server refused the proof of a request; check that the URL is the one that the server sees, and that the "
            + "clock is right"
    }
}
#endif
