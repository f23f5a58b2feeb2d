// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Puts a credential on requests, and decides what happens when a server refuses it.
///
/// One provider belongs to one identity; share it among all code that acts for that identity. Choose an existing one
/// (``BearerTokenAuthorization``, ``BasicAuthorization``, ``HeaderAuthorization``, ``ClosureAuthorization``,
/// ``RefreshableTokenAuthorization``), or conform a type of your own:
///
///     struct TenantAuthorization: AuthorizationProvider {
///         let key: @Sendable () async throws -> String      // a closure: printing the value shows no key
///         func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
///             // `.header` refuses plain http, and a key that no header can hold.
///             try await request.authorized(using: .header("X-Tenant-Key", key()))
///         }
///     }
///
/// Call it as `request.authorize(using: provider)` or, to retry a request after a 401, through
/// ``send(_:refreshCount:isReplayable:transport:)``. Test a conformance with `AuthorizationProviderChecks` of
/// `RequestAuthorizationTesting`. In a main-actor class, declare the methods as `@MainActor func` in an extension.
public protocol AuthorizationProvider: Sendable {
    /// Returns the request with a credential that is valid now. Waits for one if needed.
    ///
    /// - Parameter request: a request of any client; it is not changed.
    /// - Returns: a copy with the credential set.
    /// - Throws: ``NotAuthorized`` if a retry is pointless, for instance until the user signs in; ``RefreshFailed`` if
    ///   no credential is available for now; `CancellationError` as soon as the calling task is cancelled.
    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request

    /// Tells the provider that a server refused a request that ``authorize(_:)`` returned.
    ///
    /// The answer is a 401, or a 403 that asks for another scope or a stronger log-in. If this returns, the client may authorize the original request again and send it once more.
    ///
    /// - Parameters:
    ///   - response: the answer of the server.
    ///   - request: the request as it was sent, with the credential that was refused.
    /// - Throws: ``NotAuthorized`` if a retry is pointless. `send` rethrows it if the session is over
    ///   (``NotAuthorized/isEndOfSession``), else it returns the response. The default throws it for a 403, which no
    ///   refresh changes, and forwards a 401 to ``setNeedsRefreshAfterUnauthorizedResponse(for:)``.
    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws

    /// Tells the provider of a refused request, in a short form for providers that need no details of the answer.
    ///
    /// - Parameter request: the request as it was sent, with the credential that was refused.
    /// - Throws: ``NotAuthorized`` if a retry is pointless, as for a constant credential. The default always throws it.
    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws

    /// Reads the head of an answer to a request that ``authorize(_:)`` returned, whatever its status.
    ///
    /// This is for credentials with a new proof for each request: any answer may say what the next proof must contain
    /// (RFC 9449 §8). A provider that wraps another one forwards this call too. It must not block.
    ///
    /// - Parameters:
    ///   - response: the answer of the server.
    ///   - request: the request as it was sent.
    /// - Returns: whether the proof was refused, so that a retry with the same credential and a new proof makes sense.
    ///   No refresh is needed then. The default is `false`.
    func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool
}

extension AuthorizationProvider {
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        if response.asksForProofOnly { throw NotAuthorized(.proofRefused) }
        if response.statusCode == 403 {
            throw NotAuthorized(.needsInteraction, challenge: response.challenges.first { $0.requiresInteraction })
        }
        try await setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }

    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        throw NotAuthorized(.notRefreshable)
    }

    public func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool { false }
}
