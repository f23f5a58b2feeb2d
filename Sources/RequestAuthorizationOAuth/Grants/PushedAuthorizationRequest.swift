// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import RequestAuthorization

/// What a server answers when an authorization request is pushed to it (RFC 9126 §2.2).
struct PushedAuthorizationRequest: Sendable, RedactedDescription {
    let requestURI: String
    let lifetime: Duration

    /// - Throws: ``InvalidTokenResponse`` that names the field.
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
    /// Hands an authorization request to the server, in the client's name, before a person sees it (RFC 9126 §2.1).
    func push(_ parameters: [(name: String, value: String)]) async throws -> PushedAuthorizationRequest {
        let url = try server.endpoint(
            server.pushedAuthorizationRequestEndpoint, named: "pushed_authorization_request_endpoint")
        return try PushedAuthorizationRequest(try await object(parameters, to: url))
    }
}
