// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// A held token is the receipt of its credential. A pool may have dropped its provider, and made another one for the session.
extension HeldToken: SessionReceipt, RefusalListener {
    var isCurrent: Bool { keeper?.isCurrent(self) ?? false }

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        guard let refusal = answer.refusal else { return .accept }
        guard let keeper else {
            let mayHelp = answer.statusCode == 401 && !refusal.challenges.contains { $0.requiresInteraction }
            return mayHelp ? .anew : .accept
        }
        return try keeper.judge(refusal, of: self, afterRefresh: afterRefresh)
    }

    func admit(_ next: Credential) throws {
        let successor = try successor(in: next)
        if successor !== self { keeper?.tell(AuthorizationEvent(.requestRetried)) }
    }

    func checkSession(of next: Credential) throws { _ = try successor(in: next) }

    func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        try await keeper?.note(refusal, of: request)
    }

    /// The token of the same session in another credential.
    fileprivate func successor(in next: Credential) throws -> HeldToken {
        for part in next.contents?.receipt?.parts ?? [] {
            guard let held = (part as? HeldToken) ?? (part as? ProofReceipt)?.held else { continue }
            if keeper == nil || held.keeper === keeper, held.version.session == version.session { return held }
        }
        throw NotAuthorized(.sessionReplaced)
    }
}

/// The receipt of a token with a proof for one request.
final class ProofReceipt: ProvenReceipt, RefusalListener {
    let held: HeldToken
    private let proof: any RequestProof
    private let request: ProvenRequest
    private let wasRefused = Atomic(false)

    init(_ held: HeldToken, _ proof: any RequestProof, for request: ProvenRequest) {
        (self.held, self.proof, self.request) = (held, proof, request)
    }

    var wantsEveryAnswer: Bool { true }
    var isCurrent: Bool { held.isCurrent }

    func withdraw(isSent: Bool) { (proof as? any PromptProof)?.withdraw(request, isSent: isSent) }

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        switch proof.learn(from: answer, to: request) {
        case .newProofNeeded:
            wasRefused.store(true, ordering: .relaxed)
            return .newProof
        case .refused(let error):
            // RFC 9449 §9: the token is good; a refresh would not mend the proof.
            held.keeper?.tell(AuthorizationEvent(.proofAnswerIgnored, error: error))
            held.keeper?.tell(AuthorizationEvent(.unauthorized))
            throw NotAuthorized(.proofRefused, underlying: error)
        case .ignored(let error): held.keeper?.tell(AuthorizationEvent(.proofAnswerIgnored, error: error))
        case .settled: break
        }
        return try await held.judge(answer, afterRefresh: afterRefresh)
    }

    func admit(_ next: Credential) throws {
        let isAnother = try held.successor(in: next) !== held
        guard isAnother || wasRefused.load(ordering: .relaxed) else { return }
        held.keeper?.tell(AuthorizationEvent(.requestRetried))
    }

    func checkSession(of next: Credential) throws { try held.checkSession(of: next) }

    func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        try await held.note(refusal, of: request)
    }
}
