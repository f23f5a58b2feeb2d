// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizationProvider {
    /// Authorizes a request and sends it. After a 401 it tells the provider and retries.
    ///
    ///     let response = try await auth.send(request) { try await client.execute($0, timeout: .seconds(30)) }
    ///
    /// Each try authorizes the original request anew, never the authorized copy. No other status is retried. There are
    /// two exceptions: a 403 that asks for a scope that the provider can get, and a 400 that refuses only a proof.
    ///
    /// If your client follows redirects by itself, a 401 of the last address repeats the first request, also one that has
    /// been answered. Make the client with its redirects off, or use one of the modules for clients.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - refreshCount: the highest number of retries after a 401.
    ///   - isReplayable: whether the body can be sent again, if the client passes it beside the request; by default the
    ///     request's ``AuthorizableRequest/isReplayable``.
    ///   - transport: sends a request and returns the response, whatever its status.
    /// - Returns: the last response: also a 401 that ends no session, or one to a body that cannot be sent again.
    /// - Throws: what ``credential(for:)`` and the transport throw; ``NotAuthorized`` with the answer's challenge if the
    ///   session is over (``NotAuthorized/isEndOfSession``), even if another one has begun: the request is not sent again
    ///   in it. `CancellationError` before anything is sent if the task has been cancelled.
    @inlinable public func send<Request: AuthorizableRequest, Response: AuthorizableResponse>(
        _ request: Request, refreshCount: Int = 1, isReplayable: Bool? = nil,
        transport: nonisolated(nonsending) (Request) async throws -> Response
    ) async throws -> Response {
        let first: Credential
        if let credential = try credentialAtHand(for: request) {
            first = credential
        } else {
            first = try await credential(for: request)
        }
        let answer = try await transport(try request.ready(with: first))
        guard Tries.concern(answer.statusCode, first) else { return answer }
        return try await resend(
            request, after: consume answer, to: first, refreshCount: refreshCount, isReplayable: isReplayable,
            head: { $0 }, discard: { _ in }, transport: transport)
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
    @inlinable public func send<Request: AuthorizableRequest, Answer>(
        _ request: Request, refreshCount: Int = 1, isReplayable: Bool? = nil,
        unauthorized: (Answer) -> UnauthorizedResponse?,
        transport: nonisolated(nonsending) (Request) async throws -> Answer
    ) async throws -> Answer {
        try await send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: unauthorized, discard: { _ in },
            transport: transport)
    }

    /// Does the same for clients whose answers contain a response and keep, for instance, a connection.
    ///
    /// - Parameters:
    ///   - head: status and fields of an answer to the credential; `nil` for any other.
    ///   - discard: releases an unused answer before the refresh is awaited. The token request and the next try may need
    ///     the connection that the answer keeps.
    @inlinable package func send<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, refreshCount: Int, isReplayable: Bool?, head: (Answer) -> Head?,
        discard: (Answer) async -> Void, transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        let first: Credential
        if let credential = try credentialAtHand(for: request) {
            first = credential
        } else {
            first = try await credential(for: request)
        }
        let answer = try await transport(try request.ready(with: first))
        guard head(answer) != nil else {
            first.withdraw(isSent: true)
            return answer
        }
        return try await resend(
            request, after: consume answer, to: first, refreshCount: refreshCount, isReplayable: isReplayable,
            head: head, discard: discard, transport: transport)
    }

    /// Handles an answer: returns it, retries with a new proof, or refreshes and retries.
    ///
    /// - Parameters:
    ///   - answer: the answer to the first try. It is released before the next credential is awaited.
    ///   - first: the credential of the first try.
    @inlinable package func resend<Request: AuthorizableRequest, Answer, Head: AuthorizableResponse>(
        _ request: Request, after answer: consuming Answer, to first: Credential, refreshCount: Int,
        isReplayable: Bool?, head: (Answer) -> Head?, discard: (Answer) async -> Void,
        transport: (Request) async throws -> Answer
    ) async throws -> Answer {
        let isReplayable = isReplayable ?? request.isReplayable
        var (credential, tries) = (first, Tries(first, refreshCount: refreshCount))
        var outcome = try await tries.judged(
            answer, to: credential, isReplayable: isReplayable, head: head, discard: discard)
        while true {
            switch outcome {
            case .last(let answer): return answer
            case .again(let refusal):
                credential = try await tries.credential(for: request, from: self, after: refusal)
                outcome = try await tries.judged(
                    transport(try request.ready(with: credential)), to: credential, isReplayable: isReplayable,
                    head: head, discard: discard)
            }
        }
    }
}

extension AuthorizableRequest {
    /// Returns a copy that can be sent: with its credential, by a task that has not been cancelled.
    @inlinable package func ready(with credential: Credential) throws -> Self {
        var request = self
        try request.set(credential)
        try Task.checkCancellation()  // Some clients send a request of a cancelled task.
        return request
    }
}
