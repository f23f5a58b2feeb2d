// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    /// Returns the token in the `Authorization` field, after a refresh if one is needed.
    ///
    /// - Throws: ``NotAuthorized`` if the user must sign in first, or for plain `http`; ``RefreshFailed`` if no token
    ///   is available for now; errors of a ``RequestProof``; `CancellationError` at once when the task is cancelled.
    @inlinable @inline(__always)
    public nonisolated func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try request.refusePlaintext()  // Before anything is fetched.
        if let credential = credentialNow { return credential }
        let held = try await onceHeld()
        return needsProof(held) ? try await proven(request, by: held) : Credential(held)
    }

    public nonisolated func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        credentialNow
    }

    // One frame for each waiting request: its caller has the rest in its own. The proof, which most do not need, has another.

    @usableFromInline nonisolated var credentialNow: Credential? { core.warmCredential(at: settings.coarseNow) }

    @usableFromInline nonisolated func needsProof(_ held: CredentialContents) -> Bool {
        unsafeDowncast(held, to: HeldToken.self).needsProof
    }

    @usableFromInline nonisolated func onceHeld() async throws -> CredentialContents {
        let date = settings.now
        if !proofFields.isEmpty, let held = core.warmToken(at: date) { return held }
        return try await heldToken(.now, at: date)
    }

    @usableFromInline @inline(never)
    nonisolated func proven(_ request: some AuthorizableRequest, by held: CredentialContents) async throws -> Credential
    {
        let held = unsafeDowncast(held, to: HeldToken.self)
        guard let proof = held.proof else { throw NotAuthorized(.malformedCredential) }
        let target = try ProvenRequest(of: request, names: proofFields)
        var fields: [CredentialField] = []
        if (request as? any RequestView)?.isForComparison != true {
            fields = try await proof.checkedFields(for: target, names: proofFields, isPrompt: held.isPromptProof)
        }
        let receipt = ProofReceipt(held, proof, for: target.proven(by: fields))
        // The session may have ended meanwhile: a proof may wait for the answer to another one.
        if let error = core.read({ $0.objection(to: held) }) {
            receipt.withdraw(isSent: false)
            throw error
        }
        let field = CredentialField(unchecked: held.name, held.value)
        return Credential(CredentialContents(field, more: fields, isForOneRequest: true, receipt: receipt))
    }

    /// Returns a token that is valid now, for a tool that prints it or a WebSocket that sends it.
    ///
    /// - Throws: what ``credential(for:)`` throws.
    @inlinable @inline(__always)
    public nonisolated func validToken() async throws -> Token {
        if let held = validNow { return token(of: held) }
        return token(of: try await onceHeld())
    }

    // Without the token's type: an optional of it would be looked up at run time. The downcast is as safe as ``typed(_:)``.
    @usableFromInline nonisolated var validNow: CredentialContents? { core.warmToken(at: settings.coarseNow) }
    @usableFromInline nonisolated func token(of held: CredentialContents) -> Token {
        unsafeDowncast(held, to: TypedToken<Token>.self).token
    }

    /// Returns a token that is valid for at least a duration, for a program that passes it on.
    ///
    /// A token that lasts less is refreshed, once at most. If its successor lasts less too, that one is returned. It is
    /// not refreshed again while it lasts as long as the longest that refreshes of its session have brought, nor beyond
    /// ``RefreshPolicy/storm``. After a failure no refresh begins before the next slot.
    ///
    ///     let token = try await auth.validToken(lasting: .seconds(300))
    ///
    /// - Throws: what ``credential(for:)`` throws, even if the held token is still valid for a shorter time.
    public nonisolated func validToken(lasting duration: Duration) async throws -> Token {
        let date = clock.now.addingTimeInterval(duration.saturated.seconds)
        return typed(try await token(.until(date))).token
    }

    /// Refreshes the token now, however long it remains valid, and returns its successor. The session goes on.
    ///
    /// If a refresh is under way, this waits for it. The back-off after a failure is ignored, a `Retry-After` is not.
    /// A token that another process has refreshed is returned, too. With a read-only store nothing is refreshed: the
    /// store is read again.
    ///
    /// - Throws: what ``credential(for:)`` throws.
    @discardableResult
    public nonisolated func refreshNow() async throws -> Token {
        change { state, _ in state.pace.lift() }  // for the load, too
        return typed(try await token(.refreshed)).token
    }

    /// Asks again if it has only waited for a sign-in, or for a call past its deadline, that has failed.
    private nonisolated func token(_ need: TokenNeed) async throws -> HeldToken {
        if let held = try await tokenObtainedAtColdStart() { return held }
        while true {
            let (former, isBusy) = core.read { ($0.held, $0.isHolding || $0.flight?.isDraining == true) }
            let held = try await heldToken(need)
            guard isBusy, held === former, !need.isMet(by: held) else { return held }
        }
    }

    /// Loads the stored token if none is known yet. Only then it is known how long the token lasts.
    ///
    /// - Returns: the token if it was obtained since this call; else `nil`.
    private nonisolated func tokenObtainedAtColdStart() async throws -> HeldToken? {
        guard case .unknown = core.read({ $0.holding }) else { return nil }
        let date = clock.now
        let held = try await heldToken(.now, at: date)
        // A stored token may be of the future: of a host whose clock is ahead, or from before this clock was set back.
        return (date...max(date, clock.now)).contains(held.obtainedAt) ? held : nil
    }

    /// The held token, valid or not; neither the store nor the service is called.
    public nonisolated var currentToken: Token? { core.read { $0.held }.map { typed($0).token } }

    /// The session of the held token; `nil` if none is held.
    package nonisolated var heldSession: UUID? { core.read { $0.heldVersion?.session } }

    /// Ends the back-off after a failure, for instance because the network is back.
    ///
    /// A `Retry-After` of the server is still kept. Returns at once. A refresh begins only if the policy allows one that no
    /// caller waits for; else the next request begins it.
    public nonisolated func retryNow() async { change { $0.retryNow(&$1) } }

    // MARK: Waiting

    /// Decides and waits in one step, under the lock, once the task is suspended. Inlined: one frame less per waiter.
    ///
    /// - Parameters:
    ///   - date: the present date, if it is known. Most requests during a refresh then need nothing else.
    ///   - isolation: the actor of the caller, so that its calls take the lock in their order.
    @inline(__always)
    private func heldToken(
        _ need: TokenNeed, at date: Date? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HeldToken {
        let ticket = WaiterTicket(need, at: date)
        defer { core.didResume() }  // Not in the closure, which would keep more memory.
        return try await withTaskCancellationHandler {
            _ = isolation
            return try await withUnsafeThrowingContinuation { wait($0, with: ticket) }
        } onCancel: {
            core.cancel(ticket)
        }
    }

    /// Not inlined: otherwise each waiting request would keep memory for these temporary values.
    @inline(never)
    private nonisolated func wait(_ continuation: WaitingRequest.Continuation, with ticket: WaiterTicket) {
        let surrounding = RefreshID.live
        if surrounding.isEmpty, core.waitAtOnce(ticket, continuation) {
            settings.onHold?()
            return
        }
        let (result, aftermath) = core.request(within: surrounding, inputs, ticket, continuation)
        perform(aftermath)
        if let result { continuation.resume(with: result) } else { settings.onHold?() }
    }
}

// MARK: - Refusals

extension RefreshableTokenAuthorization: TokenKeeper {
    nonisolated func isCurrent(_ held: HeldToken) -> Bool { core.warmToken(at: clock.now) === held }

    nonisolated func judge(
        _ refusal: UnauthorizedResponse, of held: HeldToken, afterRefresh: Bool
    ) throws(NotAuthorized) -> Verdict {
        try change { state, turn in
            Result { () throws(NotAuthorized) in
                turn.emit(.unauthorized)
                if let error = refusal.interactionNeeded { throw error }
                return try state.refused(held, by: refusal.challenge, afterRefresh: afterRefresh, &turn)
            }
        }.get()
    }

    nonisolated func tell(_ event: AuthorizationEvent) { change { $1.emit(event) } }
}

extension RefreshableTokenAuthorization: RefusalListener {
    /// Begins a refresh if the request carries the held token; a 401 for an older token changes nothing.
    package nonisolated func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest)
        throws(NotAuthorized)
    {
        let header = request.credential(in: "Authorization")
        let held = proofFields.isEmpty ? nil : core.read { $0.held }
        let proof = held?.header == header ? held?.proof : nil
        let target = try? ProvenRequest(of: request, names: proofFields)
        let outcome = target.flatMap { proof?.learn(from: refusal, to: $0) }
        if case .newProofNeeded? = outcome { return }
        let error = change { state, turn -> NotAuthorized? in
            switch outcome {
            case .refused(let error)?, .ignored(let error)?: turn.emit(.proofAnswerIgnored, error: error)
            case .settled?, .newProofNeeded?, nil: break
            }
            turn.emit(.unauthorized)
            // RFC 9449 §9: the token is good; a refresh would not mend the proof.
            if case .refused(let error)? = outcome { return NotAuthorized(.proofRefused, underlying: error) }
            if refusal.asksForProofOnly { return NotAuthorized(.proofRefused) }
            if let error = refusal.interactionNeeded { return error }
            return state.unauthorized(header, by: refusal.challenge, &turn)
        }
        if let error { throw error }
    }
}

extension UnauthorizedResponse {
    /// The challenge that says most about why the token was refused.
    fileprivate var challenge: AuthenticationChallenge? {
        challenges.first { $0.claims != nil } ?? challenges.first { $0.error != nil } ?? challenges.first
    }

    /// RFC 9470 §6.1, RFC 6750 §3.1: a refresh brings neither a stronger log-in nor another scope.
    fileprivate var interactionNeeded: NotAuthorized? {
        challenges.first { $0.requiresInteraction }.map { NotAuthorized(.needsInteraction, challenge: $0) }
    }
}
