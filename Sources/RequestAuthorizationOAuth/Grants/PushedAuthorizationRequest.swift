// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The server's answer to a pushed authorization request (RFC 9126 §2.2).
struct PushedAuthorizationRequest: Sendable, RedactedDescription {
    let requestURI: String
    let lifetime: Duration

    /// - Throws: `InvalidTokenResponse` that names the field.
    init(_ answer: AnswerObject) throws {
        requestURI = try answer.requiredText("request_uri")
        guard let lifetime = answer.seconds("expires_in") else {
            let problem: InvalidTokenResponse.Problem = answer.members["expires_in"] == nil ? .missing : .malformed
            throw InvalidTokenResponse(status: answer.status, field: "expires_in", problem: problem)
        }
        self.lifetime = lifetime
    }
}

extension TokenEndpoint {
    /// Sends an authorization request to the server before the user opens its page (RFC 9126 §2.1).
    func push(
        _ parameters: [(name: String, value: String)], provenBy key: ProofKey?
    ) async throws -> PushedAuthorizationRequest {
        let url = try server.endpoint(
            server.pushedAuthorizationRequestEndpoint, named: "pushed_authorization_request_endpoint")
        do {
            return try PushedAuthorizationRequest(try await object(parameters, to: url, provenBy: key))
        } catch  where key != nil && Self.isOfProof(error) {
            // RFC 9449 §10.1: `dpop_jkt`, which is sent, is enough. Some servers require a nonce here and send none.
            return try PushedAuthorizationRequest(try await object(parameters, to: url))
        }
    }

    /// Whether the server refused the proof, not the request.
    private static func isOfProof(_ error: any Error) -> Bool {
        switch error {
        case let error as TokenEndpointError: ["invalid_dpop_proof", "use_dpop_nonce"].contains(error.code)
        case let error as InvalidTokenResponse: error.field == "DPoP-Nonce"
        default: false
        }
    }
}
