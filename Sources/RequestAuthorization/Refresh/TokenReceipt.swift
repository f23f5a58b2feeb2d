// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// The provider of a token, as the token's receipt sees it.
protocol TokenKeeper: AnyObject, Sendable {
    /// Whether requests get this token now.
    func isCurrent(_ held: HeldToken) -> Bool

    func judge(_ refusal: UnauthorizedResponse, of held: HeldToken, afterRefresh: Bool) throws(NotAuthorized) -> Verdict

    /// Tells what to make of a refused request, of which only the header fields are known.
    func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) throws(NotAuthorized)

    func tell(_ kind: AuthorizationEvent.Kind, error: (any Error)?)

    /// Waits for the token of the next request.
    func nextToken() async throws -> HeldToken
}

/// Leads from a token to its provider. It is weak, because the provider keeps the token.
final class TokenKeeperLink: Sendable {
    private struct Weak { weak var keeper: (any TokenKeeper)? }

    private let reference = Lock(Weak())

    var keeper: (any TokenKeeper)? { reference.withLock { $0.keeper } }

    func connect(to keeper: any TokenKeeper) { reference.withLock { $0.keeper = keeper } }
}

/// A held token is the receipt of its credential. Without its provider nothing can be done about a refusal.
extension HeldToken: SessionReceipt, RefusalListener {
    var isCurrent: Bool { link?.keeper?.isCurrent(self) ?? false }

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        guard let refusal = answer.refusal, let keeper = link?.keeper else { return .accept }
        return try keeper.judge(refusal, of: self, afterRefresh: afterRefresh)
    }

    func admit(_ next: Credential) throws {
        let successor = try successor(in: next)
        if successor !== self { link?.keeper?.tell(.requestRetried, error: nil) }
    }

    func checkSession(of next: Credential) throws { _ = try successor(in: next) }

    func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        try link?.keeper?.note(refusal, of: request)
    }

    /// The token of the same session in another credential.
    fileprivate func successor(in next: Credential) throws -> HeldToken {
        for part in next.contents?.receipt?.parts ?? [] {
            guard let held = (part as? HeldToken) ?? (part as? ProofReceipt)?.held else { continue }
            if held.link === link, held.version.session == version.session { return held }
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

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        switch proof.learn(from: answer, to: request) {
        case .newProofNeeded:
            wasRefused.store(true, ordering: .relaxed)
            return .newProof
        case .refused(let error):
            // RFC 9449 §9: the token is good; a refresh would not mend the proof.
            held.link?.keeper?.tell(.proofAnswerIgnored, error: error)
            held.link?.keeper?.tell(.unauthorized, error: nil)
            throw NotAuthorized(.proofRefused, underlying: error)
        case .ignored(let error): held.link?.keeper?.tell(.proofAnswerIgnored, error: error)
        case .settled: break
        }
        return try await held.judge(answer, afterRefresh: afterRefresh)
    }

    /// Waits for the next token, which must be of the same session. No proof is made that nobody would send.
    func awaitSuccessor() async throws {
        if let keeper = held.link?.keeper { try checkSession(of: Credential(await keeper.nextToken())) }
    }

    func admit(_ next: Credential) throws {
        let isAnother = try held.successor(in: next) !== held
        guard isAnother || wasRefused.load(ordering: .relaxed) else { return }
        held.link?.keeper?.tell(.requestRetried, error: nil)
    }

    func checkSession(of next: Credential) throws { try held.checkSession(of: next) }

    func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        try await held.note(refusal, of: request)
    }
}
