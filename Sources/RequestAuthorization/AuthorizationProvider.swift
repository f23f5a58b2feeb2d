// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Puts a credential on requests, and says what to do when a server refuses it.
///
/// One provider belongs to one identity and is shared by everything that speaks for it. Choose one that exists
/// (``BearerTokenAuthorization``, ``BasicAuthorization``, ``HeaderAuthorization``, ``ClosureAuthorization``,
/// ``RefreshableTokenAuthorization``), or conform a type of your own:
///
///     struct TenantAuthorization: AuthorizationProvider {
///         let key: @Sendable () async throws -> String      // not the key itself, which printing would show
///         func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
///             // `.header` refuses plain http, and a key that no header can hold.
///             try await request.authorized(using: .header("X-Tenant-Key", key()))
///         }
///     }
///
/// Clients use it as `request.authorize(using: provider)` or, to have a 401 answered by a second try, through
/// ``send(_:refreshCount:isReplayable:transport:)``. `AuthorizationProviderChecks` of `RequestAuthorizationTesting` proves a
/// conformance. A conformance in a main-actor class writes its methods as `@MainActor func`, in an extension.
public protocol AuthorizationProvider: Sendable {
    /// Returns the request with a credential that is valid now, waiting for one if need be.
    ///
    /// - Parameter request: a request of any client; it is not changed.
    /// - Returns: a copy with the credential set.
    /// - Throws: ``NotAuthorized`` if there is no way to a credential without somebody's help, ``RefreshFailed`` if there
    ///   was none this time, `CancellationError` as soon as the calling task is cancelled.
    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request

    /// Tells the provider that a server answered 401 to a request that ``authorize(_:)`` returned, or 403 for want of a scope.
    ///
    /// Returning means: to authorize the original request again, and to send that, is worth one more try.
    ///
    /// - Parameters:
    ///   - response: what the server said.
    ///   - request: the request as it was sent, with the credential that was refused.
    /// - Throws: ``NotAuthorized`` if another try is pointless: `send` throws it on if the session is over
    ///   (``NotAuthorized/isEndOfSession``), and returns the response if not. The default throws it for a 403, which no refresh
    ///   changes, and forwards a 401 to ``setNeedsRefreshAfterUnauthorizedResponse(for:)``.
    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws

    /// The short form, for providers that do not care what exactly the server said.
    ///
    /// - Parameter request: the request as it was sent, with the credential that was refused.
    /// - Throws: ``NotAuthorized`` if another try is pointless. The default always throws it: a constant credential does
    ///   not become better.
    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws

    /// Reads the head of an answer to a request that ``authorize(_:)`` returned, whatever its status.
    ///
    /// For credentials that are proven anew with each request: with any answer a server may say what the next proof must hold
    /// (RFC 9449 §8). A provider that forwards to another one forwards this, too. Must not block.
    ///
    /// - Parameters:
    ///   - response: what the server said.
    ///   - request: the request as it was sent.
    /// - Returns: whether the proof was refused, so that the same credential with a new proof is worth one more try. No refresh is
    ///   needed then. The default is `false`.
    func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool
}

extension AuthorizationProvider {
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
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
