// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Adds readable proofs without a key to the tokens of another service.
///
/// A proof is the text `number method uri nonce`. The nonce is the last `DPoP-Nonce` of an answer. An answer that asks for the
/// nonce of the refused proof ends the tries.
package struct ProvingTokenService<Base: RefreshableTokenService>: RefreshableTokenService {
    package let base: Base
    package let book: ProofBook

    package init(_ base: Base, book: ProofBook = ProofBook()) { (self.base, self.book) = (base, book) }

    package var proofFields: Set<String> { ["DPoP"] }
    package func proof(for token: Base.Token) throws -> (any RequestProof)? { book }

    package func initialToken() async throws -> Base.Token { try await base.initialToken() }
    package func refresh(_ token: Base.Token) async throws -> Base.Token { try await base.refresh(token) }
    package func discard(_ token: Base.Token) async { await base.discard(token) }
    package func revoke(_ token: Base.Token) async throws { try await base.revoke(token) }
}

/// Makes proofs, and records answers.
package final class ProofBook: PromptProof {
    private struct State {
        var count = 0
        var nonce = "-"
        var statuses: [Int] = []
        var withdrawn: [String?] = []
    }

    private let state = Lock(State())

    package init() {}

    /// The number of proofs.
    package var proofs: Int { state.withLock { $0.count } }
    /// The statuses of all answers.
    package var statuses: [Int] { state.withLock { $0.statuses } }

    /// The proofs that were made and not sent, or whose answer was not shown.
    package var withdrawn: [String?] { state.withLock { $0.withdrawn } }

    package func withdraw(_ request: ProvenRequest, isSent: Bool) {
        state.withLock { $0.withdrawn.append(request.proof["dpop"]) }
    }

    @concurrent
    package func fields(for request: ProvenRequest) async throws -> [String: String] {
        let (number, nonce) = state.withLock { state in
            state.count += 1
            return (state.count, state.nonce)
        }
        return ["DPoP": "\(number) \(request.method) \(request.uri) \(nonce)"]
    }

    package func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome {
        let nonce = response.headerValues(for: "DPoP-Nonce").first
        state.withLock { state in
            state.statuses.append(response.statusCode)
            if let nonce { state.nonce = nonce }
        }
        if nonce == "none" { return .ignored(NoNonce()) }
        guard [400, 401].contains(response.statusCode),
            response.headerValues(for: "WWW-Authenticate").contains(where: { $0.contains("use_dpop_nonce") })
        else { return .settled }
        guard let nonce, request.proof["dpop"]?.hasSuffix(" \(nonce)") != true else { return .refused(NoNonce()) }
        return .newProofNeeded
    }
}

package struct NoNonce: Error {}
