// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authenticates a client with the token of its platform (RFC 7523 §2.2), as in Azure's workload identity.
///
///     let service = OAuthTokenService.authorizationCode(
///         server: server, client: .public(id: "web"), authentication: .workload(.file(path)), transport: transport)
///
/// The token is read anew for each request.
public struct WorkloadAuthenticator: RenewedAssertions, AuthenticatorAround, RedactedDescription {
    /// What the token is in a request.
    enum Form: Sendable {
        /// It proves the client in any request.
        case client
        /// It is the grant, in this parameter of requests with this grant type.
        case grant(String, parameter: String)
    }

    let identity: WorkloadIdentity
    let form: Form
    /// Authenticates the client beside a grant.
    let base: any ClientAuthenticator

    public var isPublic: Bool { if case .client = form { false } else { base.isPublic } }

    /// Reads the token, and puts it into one request.
    ///
    /// - Throws: ``WorkloadIdentityError``, and `CancellationError`.
    public func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        switch form {
        case .client:
            return ClientProof(parameters: [
                (name: "client_id", value: request.clientID),
                (name: "client_assertion_type", value: ClientProof.jwtBearer),
                (name: "client_assertion", value: try await identity.assertion()),
            ])
        case .grant(let type, let parameter):
            var proof = try await base.authenticate(request)
            if request.parameters.contains(where: { $0 == ("grant_type", type) }) {
                proof.parameters.append((name: parameter, value: try await identity.assertion()))
            }
            return proof
        }
    }

    func assertion() async throws -> String { try await identity.assertion() }

    func assertion(in proof: ClientProof) -> String? {
        let name = if case .grant(_, let parameter) = form { parameter } else { "client_assertion" }
        return proof.parameters.last { $0.name == name }?.value
    }

    /// A refused refresh token or code is no word about the client's token.
    func concerns(_ answer: TokenEndpointError, to grantType: String) -> Bool {
        switch (form, answer.code) {
        case (.client, "invalid_client"): true
        case (.client, "invalid_grant"): grantType == "client_credentials"
        case (.grant(let type, _), "invalid_client"), (.grant(let type, _), "invalid_grant"): grantType == type
        default: false
        }
    }

    func error(for answer: TokenEndpointError) -> any Error { WorkloadIdentityError.refused(identity, by: answer) }
}

extension ClientAuthenticator where Self == WorkloadAuthenticator {
    /// Authenticates a client with the token of its platform; see ``WorkloadAuthenticator``.
    public static func workload(_ identity: WorkloadIdentity) -> WorkloadAuthenticator {
        WorkloadAuthenticator(identity: identity, form: .client, base: AnonymousClient())
    }
}
