// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authenticates a client in each request: sign-ins, tokens, refreshes, revocation, introspection.
///
/// ``ClientAuthentication`` uses a secret or none, ``PrivateKeyJWT`` a signature. Write your own for other methods,
/// such as an identity token of the platform that the program runs on.
///
///     struct WorkloadIdentity: ClientAuthenticator {
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
    /// - Parameter request: the request that is about to be sent.
    /// - Throws: any error if it cannot make a proof now. Nothing is sent then, and the session is kept. Errors other
    ///   than a `TokenServiceFailure` or a `CancellationError` reach callers in a ``ClientAuthenticationFailed``.
    func authenticate(_ request: ClientRequest) async throws -> ClientProof

    /// Whether the client is public: it cannot keep a secret, and proves nothing. `false` by default.
    var isPublic: Bool { get }
}

extension ClientAuthenticator {
    public var isPublic: Bool { false }
}
