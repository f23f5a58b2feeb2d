// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Fetches tokens from a server: the part of a token's life that depends on the server's API.
///
///     struct MyTokenService: RefreshableTokenService {
///         func refresh(_ token: MyToken) async throws -> MyToken {
///             try await api.post("refresh", token.refreshToken)
///         }
///     }
///
/// ``RefreshableTokenAuthorization`` decides when to call the service, once for all waiting requests, and it alone
/// retries. It makes one call at a time, with one exception: a call that was cancelled at ``RefreshPolicy/deadline``,
/// and ignores that for as long again. Then at most one further call begins in each longest back-off.
///
/// Throw a ``TokenServiceFailure``, such as ``TokenEndpointError``, to say what a failure means. Any other error counts
/// as transient: the token is kept, and the next slot tries again.
public protocol RefreshableTokenService<Token>: Sendable {
    associatedtype Token: AuthorizationToken

    /// Exchanges a token for its successor.
    ///
    /// - Parameter token: the held token; it may still be valid.
    /// - Returns: the new token. If the answer has no refresh token, carry over the former one.
    /// - Throws: ``TokenServiceFailure``; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/rejected`` or
    ///   ``NotAuthorized/Reason/signedOut`` to end the session; any other error for a transient failure.
    func refresh(_ token: Token) async throws -> Token

    /// Exchanges a token that a resource has refused; calls ``refresh(_:)`` by default.
    ///
    /// The service may pass on what the challenge demands, such as its ``AuthenticationChallenge/claims``. If the resource
    /// demands the same claims of the new token, no refresh follows: the user has to sign in.
    ///
    /// - Parameters:
    ///   - token: the refused token.
    ///   - challenge: that of the refused request that began the refresh.
    /// - Returns: the new token.
    /// - Throws: as ``refresh(_:)``.
    func refresh(_ token: Token, after challenge: AuthenticationChallenge) async throws -> Token

    /// Fetches a first token for credentials that need no user (client credentials).
    ///
    /// Called if no token is held or stored; never after a sign-out.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/noToken`` by default.
    func initialToken() async throws -> Token

    /// Adds what the program's token does not say, such as its issuer; returns it unchanged by default.
    ///
    /// Called once for a token that a sign-in or ``RefreshableTokenAuthorization/setToken(_:)`` brings, before it is
    /// stored.
    func completed(_ token: Token) -> Token

    /// Revokes a token that came too late: after a sign-out, or for a session that has been replaced. Does nothing by
    /// default.
    ///
    /// It also gets a token that a sibling has stored since ``RefreshableTokenAuthorization/signOut()`` revoked the one
    /// before.
    func discard(_ token: Token) async

    /// Revokes a token at the server for ``RefreshableTokenAuthorization/signOut()``.
    ///
    /// Does nothing by default.
    ///
    /// - Throws: any error if it may work later (no network, a server's 503); the user stays signed in then. After an
    ///   error that says that the server refuses, the sign-out goes on. Its ``TokenServiceFailure/kind`` is not
    ///   ``TokenFailureKind/transient``, or it is a ``TokenEndpointError`` with a ``TokenEndpointError/code`` and a
    ///   status other than 408, 429 and 5xx. Without a code the page of a network may have answered.
    func revoke(_ token: Token) async throws

    /// The server that issues the tokens, for traces; `nil`, the default, if it is not known.
    var serverOrigin: Origin? { get }

    /// The names of the header fields that proofs of this service set; none by default. Read once for each provider.
    var proofFields: Set<String> { get }

    /// Makes the proof for requests with a token that is bound to a key (RFC 9449); called once for each token.
    ///
    /// - Returns: the proof; `nil`, the default, for a token that needs none.
    /// - Throws: any error if the key is missing, or the token is another server's. The token is not sent then, and
    ///   ``refresh(_:)`` is called with it. Throw the error that ends the session there, before the server is called.
    func proof(for token: Token) throws -> (any RequestProof)?
}

extension RefreshableTokenService {
    public func refresh(_ token: Token, after challenge: AuthenticationChallenge) async throws -> Token {
        try await refresh(token)
    }
    public func initialToken() async throws -> Token { throw NotAuthorized(.noToken) }
    public func completed(_ token: Token) -> Token { token }
    public func discard(_ token: Token) async {}
    public func revoke(_ token: Token) async throws {}
    public var serverOrigin: Origin? { nil }
    public var proofFields: Set<String> { [] }
    public func proof(for token: Token) throws -> (any RequestProof)? { nil }
}
