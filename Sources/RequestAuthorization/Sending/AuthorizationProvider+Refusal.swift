// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// For loops made by hand, which keep the request and not its credential.
extension AuthorizationProvider {
    /// Tells the provider that a server refused a request that was authorized by it.
    ///
    /// The answer is a 401, or a 403 that asks for another scope or a stronger log-in. If this returns, the original
    /// request may be authorized again and sent once more:
    ///
    ///     guard let refusal = response.unauthorized else { return response }
    ///     try await auth.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: sent)
    ///     return try await client.send(auth.authorize(request))
    ///
    /// ``send(_:refreshCount:isReplayable:transport:)`` and the clients of this package do that by themselves. They
    /// also refuse to go on in another session. Such a loop does not: if another person signs in meanwhile, the second
    /// try is sent in that person's name. A loop that keeps the ``Credential`` can use ``Credential/admit(_:)``.
    ///
    /// - Parameters:
    ///   - response: the answer of the server; by default a 401 without a challenge, for clients that keep no answer.
    ///   - request: the request as it was sent, with the credential that was refused.
    /// - Throws: ``NotAuthorized`` if a retry is pointless, as for a constant credential. A provider that asks its user
    ///   waits for the answer, and throws the errors of the sign-in, too.
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse = UnauthorizedResponse(), for request: Request
    ) async throws {
        if let listener = self as? any RefusalListener { return try await listener.note(response, of: request) }
        try await note(response, byReceiptOf: request)
    }

    /// A provider of a user's own: the present credential knows who must be told, and of which fields.
    private func note(_ response: UnauthorizedResponse, byReceiptOf request: some AuthorizableRequest) async throws {
        let present: Credential
        // The next `authorize(_:)` says why a refresh has failed.
        do { present = try await credential(for: ComparedRequest(request: request)) } catch is RefreshFailed { return }
        let parts = present.contents?.receipt?.parts ?? []
        let pointless = NotAuthorized.pointless(after: response)
        let isToldByFields = parts.contains { $0 is any RefusalListener }
        if parts.isEmpty || (present.isForOneRequest && !isToldByFields) { throw pointless }
        let isPresent = present.fields.allSatisfy { request.credential(in: $0.name) == $0.value }
        var isAnew = false
        var (reasons, failure): ([NotAuthorized], (any Error)?) = ([], nil)
        // Each is told, also if another throws. That one can do nothing counts only if no other can.
        for receipt in parts {
            do {
                isAnew = try await receipt.helps(after: response, to: request, isPresent: isPresent) || isAnew
            } catch let error as NotAuthorized where !error.isEndOfSession && error.reason != .noToken {
                reasons.append(error)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        if !isAnew { throw reasons.first(where: \.needsSignIn) ?? reasons.first ?? pointless }
    }
}

extension CredentialReceipt {
    /// Tells the maker of a credential of a refusal, and returns whether another credential may be accepted.
    ///
    /// - Parameter isPresent: whether the request was sent with the present credential.
    fileprivate func helps(
        after response: UnauthorizedResponse, to request: some AuthorizableRequest, isPresent: Bool
    ) async throws -> Bool {
        if let listener = self as? any RefusalListener {
            try await listener.note(response, of: request)
            return true
        }
        guard isPresent else { return true }
        return wants(response) ? try await judge(response, afterRefresh: false) != .accept : false
    }
}
