// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A receipt that tells a retry from a change of plan.
package protocol SessionReceipt: CredentialReceipt {
    /// - Throws: ``NotAuthorized`` if that credential is of another session.
    func checkSession(of next: Credential) throws
}

/// The receipt of a credential with a proof for one request.
protocol ProvenReceipt: SessionReceipt {
    /// Notes that the proof is not sent, or that its answer is not shown.
    func withdraw(isSent: Bool)
}

/// A provider or a receipt that can be told of a refusal by the request that was sent.
package protocol RefusalListener {
    /// - Throws: ``NotAuthorized`` if a retry is pointless.
    func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws
}

/// A receipt whose maker looks at refusals with a closure.
struct RefusalReceipt: CredentialReceipt {
    let onRefusal: @Sendable (UnauthorizedResponse) async throws -> Verdict

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        guard let refusal = answer.refusal else { return .accept }
        return try await onRefusal(refusal)
    }
}

/// The receipt of a credential that is for a part of its origin, in place of another provider's.
package protocol BoundReceipt: SessionReceipt {
    /// The other provider's credential; `nil` if there is none.
    var base: Credential? { get }
    /// Whether a redirect may carry the credential on.
    func mayGo(to request: some AuthorizableRequest) -> Bool
}

/// The receipts of a credential that was put together from two.
struct ReceiptPair: CredentialReceipt {
    let first: any CredentialReceipt
    let second: any CredentialReceipt

    var wantsEveryAnswer: Bool { first.wantsEveryAnswer || second.wantsEveryAnswer }
    var isCurrent: Bool { first.isCurrent && second.isCurrent }

    /// Each sees the answers that it wants, also if the other throws. A refresh counts more than a proof.
    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        var verdicts: [Verdict] = []
        var failure: (any Error)?
        for receipt in [first, second] {
            do {
                verdicts.append(try await receipt.verdict(on: answer, afterRefresh: afterRefresh))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return verdicts.contains(.anew) ? .anew : verdicts.first { $0 != .accept } ?? .accept
    }

    func admit(_ next: Credential) throws {
        try first.admit(next)
        try second.admit(next)
    }
}

extension CredentialReceipt {
    /// Whether ``judge(_:afterRefresh:)`` may see an answer.
    func wants(_ answer: some AuthorizableResponse) -> Bool {
        wantsEveryAnswer || answer.statusCode == 401 || answer.refusal != nil
    }

    /// Judges an answer that the receipt wants. Throws only if a sign-in is needed or the judgement fails.
    func verdict(on answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        guard wants(answer) else { return .accept }
        do {
            return try await judge(answer, afterRefresh: afterRefresh)
        } catch let error as NotAuthorized where !error.isEndOfSession && error.reason != .noToken {
            return .accept  // A retry is pointless: what the server said counts.
        }
    }

    /// The single receipts of which this one consists.
    var parts: [any CredentialReceipt] {
        guard let pair = self as? ReceiptPair else { return [self] }
        return pair.first.parts + pair.second.parts
    }
}
