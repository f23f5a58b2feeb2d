// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizationProvider {
    /// Authorizes a request and sends it. After a 401 it tells the provider and retries.
    ///
    ///     let response = try await auth.send(request) { try await client.execute($0, timeout: .seconds(30)) }
    ///
    /// Each try authorizes the original request anew, never the authorized copy. No other status is retried, except a
    /// 403 that asks for another scope if the provider can get it, and a 400 that refuses only the proof of a token.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - refreshCount: the highest number of retries after a 401.
    ///   - isReplayable: whether the body can be sent again, if the client passes it beside the request; by default the
    ///     request's ``AuthorizableRequest/isReplayable``.
    ///   - transport: sends a request and returns the response, whatever its status.
    /// - Returns: the last response: also a 401 that ends no session, or one to a body that cannot be sent again.
    /// - Throws: what ``authorize(_:)`` and the transport throw; ``NotAuthorized`` with the answer's challenge if the
    ///   session is over (``NotAuthorized/isEndOfSession``), even if another process has replaced it: the request is
    ///   not sent again in the new session. `CancellationError` before anything is sent if the task has been cancelled.
    public func send<Request: AuthorizableRequest, Response: AuthorizableResponse>(
        _ request: Request, refreshCount: Int = 1, isReplayable: Bool? = nil,
        transport: nonisolated(nonsending) (Request) async throws -> Response
    ) async throws -> Response {
        try await send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { $0 }, transport: transport)
    }

    /// Authorizes a request and sends it, for clients whose answer contains a response, such as `(Data, URLResponse)`.
    ///
    /// A provider that proves its requests (RFC 9449) sees only refusals here. It gets no nonce from other answers.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - refreshCount: the highest number of retries after a 401.
    ///   - isReplayable: whether the body can be sent again; by default the request's
    ///     ``AuthorizableRequest/isReplayable``.
    ///   - unauthorized: returns what the server said if the answer is a 401, else `nil`. A response's
    ///     ``AuthorizableResponse/unauthorized`` covers 400s that ask for a nonce, too.
    ///   - transport: sends a request and returns the answer, whatever its status.
    /// - Returns: the last answer, as ``send(_:refreshCount:isReplayable:transport:)``.
    /// - Throws: as ``send(_:refreshCount:isReplayable:transport:)``.
    public func send<Request: AuthorizableRequest, Answer>(
        _ request: Request, refreshCount: Int = 1, isReplayable: Bool? = nil,
        unauthorized: (Answer) -> UnauthorizedResponse?,
        transport: nonisolated(nonsending) (Request) async throws -> Answer
    ) async throws -> Answer {
        try await CheckedAuthorization(self).send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: unauthorized,
            unauthorized: unauthorized, discard: { _ in }, transport: transport)
    }

    /// Does the same for clients whose answer contains a response.
    package func send<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, refreshCount: Int, isReplayable: Bool?, head: (Answer) -> Head,
        transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        // No key paths: generic code creates them again for each use.
        try await CheckedAuthorization(self).send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { head($0) },
            unauthorized: { head($0).unauthorized }, discard: { _ in }, transport: transport)
    }

    /// Does the same for clients that read header fields themselves and whose answers keep, for instance, a connection.
    ///
    /// - Parameters:
    ///   - head: status and fields of an answer to the credential; `nil` for any other.
    ///   - discard: releases an unused answer before the refresh is awaited. The token request may need the connection
    ///     that the answer keeps.
    @inlinable package func send<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, refreshCount: Int, isReplayable: Bool?, head: (Answer) -> Head?,
        unauthorized: (Answer) -> UnauthorizedResponse?, discard: (Answer) async -> Void,
        transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        let authorized = try await authorize(request)
        try Task.checkCancellation()  // Some clients send a request of a cancelled task.
        return try await resend(
            request, after: try await transport(authorized), to: authorized, refreshCount: refreshCount,
            isReplayable: isReplayable, head: head, unauthorized: unauthorized, discard: discard, transport: transport)
    }

    /// Handles an answer: returns it, retries with a new proof, or refreshes and retries.
    ///
    /// - Parameters:
    ///   - answer: the answer to the first try.
    ///   - authorized: the request as it was sent in the first try.
    @inlinable package func resend<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, after answer: Answer, to authorized: Request, refreshCount: Int, isReplayable: Bool?,
        head: (Answer) -> Head?, unauthorized: (Answer) -> UnauthorizedResponse?, discard: (Answer) async -> Void,
        transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        var (answer, authorized, refreshesLeft) = (answer, authorized, refreshCount)
        var sentCall: SentCall?
        var newProofsLeft = 3
        while true {
            if let head = head(answer) {
                let mayConcernProof = head.statusCode == 401 || head.statusCode == 400
                let call = mayConcernProof ? sentCall ?? SentCall() : nil
                let isProofRefused =
                    call?.learn(self, from: head, to: authorized) ?? learn(from: head, to: authorized)
                if isProofRefused {
                    // The token is good. A few new proofs for each credential: a server might refuse all.
                    guard let call, newProofsLeft > 0, isReplayable ?? request.isReplayable else { return answer }
                    (sentCall, newProofsLeft) = (call, newProofsLeft - 1)
                    await discard(answer)
                    authorized = try await call.authorizeAgain(request, by: self, after: head)
                    try Task.checkCancellation()
                    answer = try await transport(authorized)
                    continue
                }
            }
            guard refreshesLeft > 0, let refusal = unauthorized(answer), !refusal.asksForProofOnly else {
                return answer
            }
            refreshesLeft -= 1
            newProofsLeft = 3
            let call = sentCall ?? SentCall()
            sentCall = call
            let isReplayable = isReplayable ?? request.isReplayable
            do {
                try await call.tell(self, of: refusal, to: authorized)
            } catch let error as NotAuthorized {
                // A retry is pointless: return the server's answer, unless the session is over.
                guard error.isEndOfSession, isReplayable else { return answer }
                await discard(answer)
                throw error.asked(by: refusal)
            } catch {
                await discard(answer)
                throw error
            }
            guard isReplayable else { return answer }
            await discard(answer)
            authorized = try await call.authorizeAgain(request, by: self, after: refusal)
            try Task.checkCancellation()
            answer = try await transport(authorized)
        }
    }
}
