// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Says which credential a request gets.
///
/// One provider belongs to one identity; share it among all code that acts for that identity. Choose an existing one
/// (``BearerTokenAuthorization``, ``BasicAuthorization``, ``HeaderAuthorization``, ``ClosureAuthorization``,
/// ``RefreshableTokenAuthorization``), or conform a type of your own:
///
///     struct FileTokenAuthorization: AuthorizationProvider {
///         let read: @Sendable () throws -> String
///         func credential(for request: some AuthorizableRequest) async throws -> Credential { try .bearer(read()) }
///     }
///
/// Call it as `request.authorize(using: provider)` or, to retry a request after a 401, through
/// ``send(_:refreshCount:isReplayable:transport:)``. What a refusal means is known to the ``Credential`` itself, so a
/// provider that wraps or chooses others forwards one function. Test a conformance with `AuthorizationProviderChecks` of
/// `RequestAuthorizationTesting`. In a main-actor class, declare the method as `@MainActor func` in an extension.
public protocol AuthorizationProvider: Sendable {
    /// Returns the credential for a request. Waits for one if needed.
    ///
    /// - Parameter request: a request of any client, for schemes that sign it; most providers do not need it.
    ///   A credential that depends on it is ``Credential/isForOneRequest``.
    /// - Throws: ``NotAuthorized`` if a retry is pointless, for instance until the user signs in; ``RefreshFailed`` if
    ///   no credential is available for now; `CancellationError` as soon as the calling task is cancelled.
    func credential(for request: some AuthorizableRequest) async throws -> Credential

    /// Returns the same credential if it is at hand; `nil`, the default, if the caller must use ``credential(for:)``.
    ///
    /// Implement it for speed only. It must not block.
    ///
    /// - Throws: what ``credential(for:)`` throws.
    func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential?
}

extension AuthorizationProvider {
    public func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? { nil }
}
