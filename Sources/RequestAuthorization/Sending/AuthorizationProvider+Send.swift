// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizationProvider {
    /// Authorizes a request, sends it, and after a 401 tells the provider and sends it again.
    ///
    ///     let response = try await auth.send(request) { try await client.execute($0, timeout: .seconds(30)) }
    ///
    /// The original request is authorized anew each time, never the authorized copy. No other status is retried, but for a 403 that
    /// asks for another scope, if the provider knows a way to it.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - isReplayable: whether the body can be sent again, where the client carries it beside the request; by default
    ///     what the request says.
    ///   - transport: sends a request and returns the response, whatever its status.
    /// - Returns: the last response. A 401 that ends no session is a response too, not an error, and so is each 401 to a body that
    ///   cannot be sent again.
    /// - Throws: what ``authorize(_:)`` and the transport throw; ``NotAuthorized`` with the answer's challenge if the session is
    ///   over (``NotAuthorized/isEndOfSession``), also if another process has replaced it: the request is not sent again in the
    ///   session of somebody else. `CancellationError` before anything is sent if the task has been cancelled.
    public func send<Request: AuthorizableRequest, Response: AuthorizableResponse>(
        _ request: Request, refreshCount: Int = 1, isReplayable: Bool? = nil,
        transport: (Request) async throws -> Response
    ) async throws -> Response {
        try await send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { $0 }, transport: transport)
    }

    /// The same for clients whose answer is not a response but holds one, such as `(Data, URLResponse)`.
    ///
    /// A provider that proves its requests (RFC 9449) is shown 401s only, and learns nothing from other answers: a nonce that comes
    /// with one of them is not used.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - isReplayable: whether the body can be sent again; by default what the request says.
    ///   - unauthorized: what the server said if the answer is a 401, else `nil`.
    ///   - transport: sends a request and returns the answer, whatever its status.
    public func send<Request: AuthorizableRequest, Answer>(
        _ request: Request, refreshCount: Int = 1, isReplayable: Bool? = nil,
        unauthorized: (Answer) -> UnauthorizedResponse?, transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        try await CheckedAuthorization(self).send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: unauthorized,
            unauthorized: unauthorized, discard: { _ in }, transport: transport)
    }

    /// The same for clients whose answer holds a response.
    package func send<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, refreshCount: Int, isReplayable: Bool?, head: (Answer) -> Head,
        transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        // No key paths: generic code makes them anew for each use.
        try await CheckedAuthorization(self).send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { head($0) },
            unauthorized: { head($0).unauthorized }, discard: { _ in }, transport: transport)
    }

    /// The same for clients whose answers hold on to something, such as a connection, and which look at the header fields
    /// themselves.
    ///
    /// - Parameters:
    ///   - head: status and fields of an answer to the credential; `nil` for any other.
    ///   - discard: lets go of an answer that nobody will see, before the refresh is waited for: what fetches the token may need
    ///     the very connection that the answer holds.
    @inlinable package func send<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, refreshCount: Int, isReplayable: Bool?, head: (Answer) -> Head?,
        unauthorized: (Answer) -> UnauthorizedResponse?, discard: (Answer) async -> Void,
        transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        let authorized = try await authorize(request)
        try Task.checkCancellation()  // Clients may send what nobody waits for any more.
        return try await resend(
            request, after: try await transport(authorized), to: authorized, refreshCount: refreshCount,
            isReplayable: isReplayable, head: head, unauthorized: unauthorized, discard: discard, transport: transport)
    }

    /// What is to be done about an answer: nothing, another try with a new proof, or a refresh and another try.
    ///
    /// - Parameters:
    ///   - answer: what came of the first try.
    ///   - authorized: the request that was sent then.
    @inlinable package func resend<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, after answer: Answer, to authorized: Request, refreshCount: Int, isReplayable: Bool?,
        head: (Answer) -> Head?, unauthorized: (Answer) -> UnauthorizedResponse?, discard: (Answer) async -> Void,
        transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        var (answer, authorized, refreshesLeft) = (answer, authorized, refreshCount)
        var sentCall: SentCall?
        var mayProveAnew = true
        while true {
            if let head = head(answer) {
                let call = sentCall ?? (head.statusCode == 401 ? SentCall() : nil)
                let isProofRefused =
                    call?.learn(self, from: head, to: authorized) ?? learn(from: head, to: authorized)
                if isProofRefused {
                    // The token is good. One more proof for each credential that was sent: servers may refuse all of them.
                    guard let call, mayProveAnew, isReplayable ?? request.isReplayable,
                        let refusal = unauthorized(answer)
                    else { return answer }
                    (sentCall, mayProveAnew) = (call, false)
                    await discard(answer)
                    authorized = try await call.authorizeAgain(request, by: self, after: refusal)
                    try Task.checkCancellation()
                    answer = try await transport(authorized)
                    continue
                }
            }
            guard refreshesLeft > 0, let refusal = unauthorized(answer) else { return answer }
            refreshesLeft -= 1
            mayProveAnew = true
            let call = sentCall ?? SentCall()
            sentCall = call
            let isReplayable = isReplayable ?? request.isReplayable
            do {
                try await call.tell(self, of: refusal, to: authorized)
            } catch let error as NotAuthorized {
                // No way forward: what the server said is not hidden, unless the session is over.
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
