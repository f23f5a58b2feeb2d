// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The tries of one call: what it may still use up, and the last credential that was sent, to which it is bound.
@usableFromInline package struct Tries: Sendable {
    /// Not the first one, which may have had no session.
    private var last: Credential
    private var refreshesLeft: Int
    /// New proofs for the present credential: a server might refuse all.
    private var proofsLeft = Self.proofs
    private var wasRefused = false

    private static let proofs = 3

    @usableFromInline package init(_ first: Credential, refreshCount: Int) {
        (last, refreshesLeft) = (first, refreshCount)
    }

    /// Whether an answer may mean something for its credential.
    @inlinable package static func concern(_ status: Int, _ credential: Credential) -> Bool {
        status == 401 || status == 403 || credential.wantsEveryAnswer
    }

    /// Judges an answer, and decides whether the request is sent again.
    ///
    /// - Throws: ``NotAuthorized`` if the session is over; other errors of a user's own judgement. An answer to a body that
    ///   cannot be sent again is returned all the same if the session is over.
    @usableFromInline package mutating func wantsAnother(
        after answer: some AuthorizableResponse, to credential: Credential, isReplayable: Bool
    ) async throws -> Bool {
        last = credential
        let verdict: Verdict
        do {
            verdict = try await credential.judge(answer, afterRefresh: wasRefused && refreshesLeft <= 0)
        } catch let error as NotAuthorized where (error.isEndOfSession || error.reason == .noToken) && !isReplayable {
            return false
        }
        switch verdict {
        case .anew where refreshesLeft > 0 && isReplayable:
            (refreshesLeft, proofsLeft, wasRefused) = (refreshesLeft - 1, Self.proofs, true)
        case .newProof where proofsLeft > 0 && isReplayable: proofsLeft -= 1
        default: return false
        }
        return true
    }

    /// Judges an answer, and releases it unless it is the last one: the next try may need the connection that it keeps.
    @inlinable package mutating func judged<Answer, Head: AuthorizableResponse>(
        _ answer: consuming Answer, to credential: Credential, isReplayable: Bool, head: (Answer) -> Head?,
        discard: (Answer) async -> Void
    ) async throws -> Judged<Answer> {
        guard let head = head(answer) else {
            credential.withdraw(isSent: true)
            return .last(answer)
        }
        do {
            let isLast = try await !wantsAnother(after: head, to: credential, isReplayable: isReplayable)
            if isLast { return .last(answer) }
        } catch {
            await discard(answer)
            throw error
        }
        await discard(answer)
        return .again(UnauthorizedResponse(of: head))
    }

    /// Returns the credential for the next try.
    ///
    /// - Throws: what the provider throws, with the answer's challenge if the session is over; ``NotAuthorized`` if
    ///   another session has begun.
    @usableFromInline package func credential(
        for request: some AuthorizableRequest, from provider: some AuthorizationProvider,
        after answer: some AuthorizableResponse
    ) async throws -> Credential {
        do {
            let next = try await provider.credential(for: request)
            try last.admit(next)
            return next
        } catch let error as NotAuthorized {
            throw error.asked(by: answer)
        }
    }
}

/// What becomes of an answer.
@usableFromInline package enum Judged<Answer> {
    /// The caller gets it.
    case last(Answer)
    /// The request is sent again. Of the answer only what it said is left.
    case again(UnauthorizedResponse)
}
