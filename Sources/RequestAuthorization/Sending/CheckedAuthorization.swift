// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Wraps a provider of a user's own and checks its requests before they are sent.
///
/// A request silently drops a value that would end its header line, because setting a value cannot throw. Without this
/// check the request would be sent without its credential.
struct CheckedAuthorization<Provider: AuthorizationProvider>: AuthorizationProvider, RedactedDescription {
    let provider: Provider

    init(_ provider: Provider) { self.provider = provider }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        try await provider.authorizeChecked(request)
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }

    func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool { provider.learn(from: response, to: request) }
}

extension AuthorizationProvider {
    /// Calls ``authorize(_:)``, and checks the result. Providers of this package are not checked: they check values.
    @inline(__always)
    func authorizeChecked<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        if let synchronous = self as? any SynchronousAuthorization {
            var authorized = request
            if try synchronous.authorizeAtOnce(&authorized) { return authorized }
            if synchronous.credentialFields(for: request) != nil { return try await authorize(request) }
        }
        return try await authorizeAndCheck(request)
    }

    /// - Parameter isolation: the actor of the caller, on which the provider runs too.
    @inline(never)
    private func authorizeAndCheck<Request: AuthorizableRequest>(
        _ request: Request, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Request {
        let (fields, surrounding) = (CredentialFields(), CredentialFields.current)
        let authorized = try await CredentialFields.$current.withValue(fields) {
            _ = isolation
            return try await authorize(request)
        }
        surrounding?.insert(fields.names)
        if fields.wasTargetRead { surrounding?.noteTarget() }
        if let proof = fields.proof { surrounding?.insert(proof.proof, names: proof.names) }
        try fields.check(on: authorized)
        return authorized
    }
}

extension CredentialFields {
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if a request dropped a
    ///   value, or if `Authorization` holds a line end: some types of requests do not refuse it.
    fileprivate func check(on authorized: some AuthorizableRequest) throws(NotAuthorized) {
        guard !hasRefusal, authorized.credential(in: "Authorization")?.breaksOut != true else {
            throw NotAuthorized(
                .malformedCredential,
                detail: "the provider has set a header field whose name or value is not allowed, such as one "
                    + "with a line feed")
        }
    }
}

extension String {
    fileprivate var breaksOut: Bool {
        !HeaderFieldValue.isSurelyVisible(self) && utf8.contains { $0 == 0x00 || $0 == 0x0A || $0 == 0x0D }
    }
}
