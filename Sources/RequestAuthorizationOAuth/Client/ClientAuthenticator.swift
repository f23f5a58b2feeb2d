// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Proves a client to an authorization server, anew for each request: tokens, refreshes, revocation, introspection, sign-ins.
///
/// ``ClientAuthentication`` is the one with a secret or with none. Write your own for what a secret cannot do: a signature, or a
/// token of the platform that the program runs on.
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
    /// Makes what one request says to prove the client. Called once for each request, a moment before it is sent.
    ///
    /// - Parameter request: what is about to be sent.
    /// - Throws: any error if there is no proof now: nothing is sent, and the session goes on. What is not a
    ///   `TokenServiceFailure` reaches callers in a ``ClientAuthenticationFailed``.
    func authenticate(_ request: ClientRequest) async throws -> ClientProof

    /// Whether it proves nothing, because the client can keep no secret; `false` by default.
    var isPublic: Bool { get }
}

extension ClientAuthenticator {
    public var isPublic: Bool { false }
}
