// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authenticates a client in each request: sign-ins, tokens, refreshes, revocation, introspection.
///
/// An ``OAuthClient`` has a secret or none, ``PrivateKeyJWT`` a signature, ``WorkloadAuthenticator`` the token of the
/// platform that the program runs on. Write your own for other methods.
///
///     struct MachineIdentity: ClientAuthenticator {
///         func authenticate(_ request: ClientRequest) async throws -> ClientProof {
///             ClientProof(parameters: [
///                 (name: "client_id", value: request.clientID),
///                 (name: "client_assertion_type", value: ClientProof.jwtBearer),
///                 (name: "client_assertion", value: try await platform.identityToken()),
///             ])
///         }
///     }
public protocol ClientAuthenticator: Sendable {
    /// Makes the proof for one request. It is called once for each request, immediately before the request is sent.
    ///
    /// - Throws: any error if it cannot make a proof now. Nothing is sent then, and the session is kept. A
    ///   `CancellationError`, and a `TokenServiceFailure` that ends no session, reach callers unchanged, and all other
    ///   errors in a ``ClientAuthenticationFailed``. A `TokenTransportError` says `notSent` then.
    func authenticate(_ request: ClientRequest) async throws -> ClientProof

    /// Whether the client is public: it cannot keep a secret, and proves nothing. `false` by default.
    var isPublic: Bool { get }
}

extension ClientAuthenticator {
    public var isPublic: Bool { false }
}

/// A request that a client is about to send to its authorization server, for a ``ClientAuthenticator``.
public struct ClientRequest: Sendable, RedactedDescription {
    /// The id of the client that has to prove itself.
    public let clientID: String
    /// The server that gets the proof. Make it for this one only.
    public let server: AuthorizationServer
    /// The URL that the request is sent to.
    public let endpoint: URL
    /// The parameters of the request, without the proof.
    public let parameters: [(name: String, value: String)]
    /// The time by the client's clock, or by the server's once a refused proof has shown that it differs.
    public let date: Date

    public init(
        clientID: String, server: AuthorizationServer, endpoint: URL, parameters: [(name: String, value: String)],
        date: Date
    ) {
        (self.clientID, self.server, self.endpoint) = (clientID, server, endpoint)
        (self.parameters, self.date) = (parameters, date)
    }
}

/// The parts of a request that authenticate its client: parameters of the body, fields of the header, or both.
public struct ClientProof: Sendable, RedactedDescription {
    /// `client_assertion_type` for a JWT (RFC 7523 §2.2).
    public static let jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Parameters of the body. They come first, and replace other parameters of the same names.
    public var parameters: [(name: String, value: String)]
    /// Header fields of the request.
    public var fields: [(name: String, value: String)]

    public init(parameters: [(name: String, value: String)] = [], fields: [(name: String, value: String)] = []) {
        (self.parameters, self.fields) = (parameters, fields)
    }
}

/// A ``ClientAuthenticator`` made no proof, or there was no token to exchange, so nothing was sent. The session is kept,
/// and the next slot tries again.
public struct ClientAuthenticationFailed: UnsentFailure {
    /// The error of the authenticator or of the exchange's closure, or the fault of the proof. The description does not
    /// contain it.
    public let underlying: any Error

    /// Returns an error that keeps the session: the authorization server has not seen the token.
    ///
    /// A cancellation is returned unchanged, and so is a failure that keeps sessions by itself. A `NotAuthorized` and
    /// the refusals of another token endpoint, which the authenticator may have asked, are wrapped.
    static func keepingSession(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        // What was lost is an answer to the authenticator.
        case let lost as TokenTransportError:
            TokenTransportError(lost.code, delivery: .notSent, underlying: lost.underlying)
        case let failure as any TokenServiceFailure where ![.terminal, .noRefreshToken].contains(failure.kind): failure
        default: ClientAuthenticationFailed(underlying: error)
        }
    }
}

extension ClientAuthenticationFailed: OwnDescription {
    @usableFromInline package var ownDescription: String {
        "nothing was sent: the client could not be authenticated, or there was no token to exchange "
            + "(\(type(of: underlying))); check its key, its authenticator and that token; the session is kept"
    }
}
