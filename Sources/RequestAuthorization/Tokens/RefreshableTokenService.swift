// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Fetches tokens: the part of a token's life that only the server's API knows.
///
///     struct MyTokenService: RefreshableTokenService {
///         func refresh(_ token: MyToken) async throws -> MyToken {
///             try await api.post("refresh", token.refreshToken)
///         }
///     }
///
/// ``RefreshableTokenAuthorization`` decides when to call it, once for all requests that wait, and it alone retries. It calls it
/// again before a call has returned in one case: the call has been cancelled at ``RefreshPolicy/deadline`` and ignores that for
/// as long again. Then at most one further call begins in each longest back-off. Throw a ``TokenServiceFailure`` (``TokenEndpointError`` is one) to say what a failure means; any other
/// error counts as transient: the token is kept, and the next slot tries again.
public protocol RefreshableTokenService<Token>: Sendable {
    associatedtype Token: AuthorizationToken

    /// Exchanges a token for its successor.
    ///
    /// - Parameter token: the token that is held; it may still be valid.
    /// - Returns: the new token. A refresh token that the answer omits must be carried over from the old one.
    /// - Throws: ``TokenServiceFailure``; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/rejected`` or
    ///   ``NotAuthorized/Reason/signedOut`` to end the session; any other error for a transient failure.
    func refresh(_ token: Token) async throws -> Token

    /// Fetches a first token for credentials that need no person (client credentials).
    ///
    /// Called when nothing is held and nothing stored; never after a sign-out.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/noToken`` by default.
    func initialToken() async throws -> Token

    /// Takes a token that came too late, after a sign-out or for a session that has been replaced: revoke it here.
    ///
    /// Does nothing by default.
    func discard(_ token: Token) async

    /// Ends a token at the server, when somebody signs out with ``RefreshableTokenAuthorization/signOut()``.
    ///
    /// Does nothing by default.
    ///
    /// - Throws: any error if it may work later (no network, a server's 503): nobody is signed out then. An error whose
    ///   ``TokenServiceFailure/kind`` is not ``TokenFailureKind/transient``, and a ``TokenEndpointError`` with a 4xx other than 408
    ///   and 429, say that the server will not do it, and stop no sign-out.
    func revoke(_ token: Token) async throws

    /// The server that tokens come from, for traces; `nil`, the default, if that is not known.
    var serverOrigin: Origin? { get }

    /// The names of the header fields that proofs of this service set; none by default. It is asked once, when a provider is made.
    var proofFields: Set<String> { get }

    /// Makes what proves each request with a token that is bound to a key (RFC 9449); called once for each token.
    ///
    /// - Returns: `nil`, the default, for a token that needs no proof.
    /// - Throws: any error if the key is not there. The token is not sent then, and ``refresh(_:)`` is called with it: throw there
    ///   what ends the session, before the server is asked.
    func proof(for token: Token) throws -> (any RequestProof)?
}

extension RefreshableTokenService {
    public func initialToken() async throws -> Token { throw NotAuthorized(.noToken) }
    public func discard(_ token: Token) async {}
    public func revoke(_ token: Token) async throws {}
    public var serverOrigin: Origin? { nil }
    public var proofFields: Set<String> { [] }
    public func proof(for token: Token) throws -> (any RequestProof)? { nil }
}
