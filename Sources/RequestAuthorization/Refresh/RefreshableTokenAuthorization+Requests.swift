// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    /// Puts the token into the request's `Authorization` field, after a refresh if one is needed.
    ///
    /// - Throws: ``NotAuthorized`` if the user must sign in first, ``RefreshFailed`` if no token is available for now,
    ///   `CancellationError` at once when the task is cancelled.
    public nonisolated func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        try request.refusePlaintext()
        let date = clock.now
        if let header = core.warmHeader(at: date) {
            var request = request
            request.setCredential(header, in: "Authorization")
            return request
        }
        let held = try await heldToken(at: date)
        guard let header = held.wholeCredential else { return try await proven(request, by: held) }
        var request = request
        request.setCredential(header, in: "Authorization")
        return request
    }

    /// A function of its own: otherwise each waiting request would keep memory for the proof that most do not need.
    @inline(never)
    private nonisolated func proven<Request: AuthorizableRequest>(
        _ request: Request, by held: HeldToken
    ) async throws -> Request {
        guard let proof = held.proof else { throw NotAuthorized(.malformedCredential) }
        return try await request.proven(by: proof, names: proofFields, credential: held.header)
    }

    package nonisolated func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        credentialFields
    }

    package nonisolated func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        try request.refusePlaintext()
        guard let header = core.warmHeader(at: clock.now) else { return false }
        request.setCredential(header, in: "Authorization")
        return true
    }

    package nonisolated func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool {
        let header = authorized.credential(in: "Authorization")
        return core.read { !$0.line.includes(header) }
    }

    package nonisolated func prove<Request: AuthorizableRequest>(
        _ authorized: Request, ifValidNow: Bool
    ) async throws -> Request? {
        guard !proofFields.isEmpty else { return nil }
        let header = authorized.credential(in: "Authorization")
        if ifValidNow, core.warmToken(at: clock.now)?.header != header { return nil }
        guard let proof = core.proof(of: header) else { return nil }
        return try await authorized.proven(by: proof, names: proofFields)
    }

    /// Passes an answer to the proof of the token with which the request was sent, if that token is still held.
    ///
    /// - Returns: whether the proof was refused, so that a retry with a new proof makes sense.
    public nonisolated func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool {
        switch outcome(of: response, to: request) {
        case .newProofNeeded:
            allowAnotherTry()
            return true
        case .ignored(let error), .refused(let error):
            change { $1.emit(.proofAnswerIgnored, error: error) }
            return false
        case .settled: return false
        }
    }

    /// Returns what an answer means for the proof of a request.
    private nonisolated func outcome(
        of response: some AuthorizableResponse, to request: some AuthorizableRequest
    ) -> ProofOutcome {
        guard !proofFields.isEmpty, let proof = core.proof(of: request.credential(in: "Authorization")),
            let target = ProvenRequest(request, names: proofFields)
        else { return .settled }
        return proof.learn(from: response, to: target)
    }

    /// Not inlined, so that the warm path in `authorize(_:)` stays small.
    @inline(never)
    private func heldToken(at date: Date, isolation: isolated (any Actor)? = #isolation) async throws -> HeldToken {
        if !proofFields.isEmpty, let held = core.warmToken(at: date) { return held }
        return try await heldToken(.now, at: date, isolation: isolation)
    }

    /// Returns a token that is valid now, for a tool that prints it or a WebSocket that sends it.
    ///
    /// - Throws: what ``authorize(_:)`` throws.
    public nonisolated func validToken() async throws -> Token {
        let date = clock.now
        if let held = core.warmToken(at: date) { return typed(held).token }
        return typed(try await heldToken(.now, at: date)).token
    }

    /// Returns a token that is valid for at least a duration, for a program that passes it on.
    ///
    /// A token that lasts less is refreshed, once at most. If its successor lasts less too, that one is returned. After
    /// a failure no refresh begins before the next slot. ``RefreshPolicy/storm`` limits refreshes of young tokens.
    ///
    ///     let token = try await auth.validToken(lasting: .seconds(300))
    ///
    /// - Throws: what ``authorize(_:)`` throws, even if the held token is still valid for a shorter time.
    public nonisolated func validToken(lasting duration: Duration) async throws -> Token {
        let date = clock.now.addingTimeInterval(duration.seconds)
        if let held = try await tokenObtainedAtColdStart() { return typed(held).token }
        return typed(try await heldToken(.until(date))).token
    }

    /// Refreshes the token now, however long it remains valid, and returns its successor. The session goes on.
    ///
    /// If a refresh is under way, this waits for it. The back-off after a failure is ignored, a `Retry-After` is not.
    /// A token that another process has refreshed is returned, too. With a read-only store nothing is refreshed: the
    /// store is read again.
    ///
    /// - Throws: what ``authorize(_:)`` throws.
    @discardableResult
    public nonisolated func refreshNow() async throws -> Token {
        if let held = try await tokenObtainedAtColdStart() { return typed(held).token }
        return typed(try await heldToken(.refreshed)).token
    }

    /// Loads the stored token if none is known yet. Only then it is known how long the token lasts.
    ///
    /// - Returns: the token if it was obtained since this call; else `nil`.
    private nonisolated func tokenObtainedAtColdStart() async throws -> HeldToken? {
        guard case .unknown = core.read({ $0.credential }) else { return nil }
        let date = clock.now
        let held = try await heldToken(.now, at: date)
        return held.obtainedAt >= date ? held : nil
    }

    /// The held token, valid or not; neither the store nor the service is called.
    public nonisolated var currentToken: Token? { core.read { $0.held }.map { typed($0).token } }

    public nonisolated func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        // RFC 9449 §9: the token is good; a refresh would not mend the proof.
        switch outcome(of: response, to: request) {
        case .newProofNeeded: return allowAnotherTry()
        case .refused(let error):
            change { $1.emit(.unauthorized) }
            throw NotAuthorized(.proofRefused, underlying: error)
        case .settled, .ignored: break
        }
        guard !response.asksForProofOnly else {
            change { $1.emit(.unauthorized) }
            throw NotAuthorized(.proofRefused)
        }
        // RFC 9470 §6.1, RFC 6750 §3.1: a refresh brings neither a stronger log-in nor another scope.
        if let challenge = response.challenges.first(where: \.requiresInteraction) {
            change { $1.emit(.unauthorized) }
            throw NotAuthorized(.needsInteraction, challenge: challenge)
        }
        try await setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }

    /// Begins a refresh if the request carries the held token; a 401 for an older token changes nothing.
    ///
    /// Returns at once. The next ``authorize(_:)`` waits for the refresh.
    ///
    /// - Throws: ``NotAuthorized`` if the session of the request is over, or servers refuse new tokens too often.
    public nonisolated func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        let header = request.credential(in: "Authorization")
        let (error, line) = change { state, turn in
            turn.emit(.unauthorized)
            return (state.unauthorized(header, &turn), state.line.number)
        }
        if let error { throw error }
        allowAnotherTry(in: line)
    }

    /// Allows a retry of the current call, unless a sibling replaces the session before it.
    private nonisolated func allowAnotherTry(in line: Int? = nil) {
        guard let call = SentCall.current else { return }
        let line = line ?? core.read { $0.line.number }
        call.allowAnotherTry { [core] in
            core.read { $0.line.number } != line
        } onTry: {
            self.change { $1.emit(.requestRetried) }
        }
    }

    /// Ends the back-off after a failure, for instance because the network is back.
    ///
    /// A `Retry-After` of the server is still kept. Returns at once.
    public nonisolated func retryNow() async { change { $0.retryNow(&$1) } }

    // MARK: Waiting

    /// Decides and waits in one step, under the lock, once the task is suspended. Inlined: one frame less per waiter.
    ///
    /// - Parameters:
    ///   - date: the present date, if it is known. Most requests during a refresh then need nothing else.
    ///   - isolation: the actor of the caller, so that its calls take the lock in their order.
    @inline(__always)
    private func heldToken(
        _ need: RefreshState.Need, at date: Date? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HeldToken {
        let ticket = WaiterTicket(need, at: date)
        return try await withTaskCancellationHandler {
            _ = isolation
            defer { core.didResume() }
            return try await withUnsafeThrowingContinuation { wait($0, with: ticket) }
        } onCancel: {
            core.cancel(ticket)
        }
    }

    /// Not inlined: otherwise each waiting request would keep memory for these temporary values.
    @inline(never)
    private nonisolated func wait(_ continuation: UnsafeContinuation<HeldToken, any Error>, with ticket: WaiterTicket) {
        let surrounding = SurroundingRefresh.live.map(\.id)
        if surrounding.isEmpty, core.waitAtOnce(ticket, continuation) {
            onHold?()
            return
        }
        let (result, aftermath) = core.request(within: surrounding, inputs, ticket, continuation)
        perform(aftermath)
        if let result { continuation.resume(with: result) } else { onHold?() }
    }
}
