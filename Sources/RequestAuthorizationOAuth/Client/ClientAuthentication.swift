// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// How a client proves itself with a secret, or that it has none (RFC 6749 §2.3): one way for each request.
public enum ClientAuthentication: Sendable, Hashable, Codable {
    /// Not at all: it says its `client_id` only. For apps and tools, which can keep no secret.
    case none
    /// With its id and this secret in the `Authorization` field (`client_secret_basic`).
    case secretBasic(String)
    /// With its id and this secret in the body (`client_secret_post`), where a server knows nothing else.
    case secretPost(String)
}

extension ClientAuthentication: RedactedDescription {
    public var description: String {
        switch self {
        case .none: "none"
        case .secretBasic: "secretBasic([redacted])"
        case .secretPost: "secretPost([redacted])"
        }
    }
}

extension ClientAuthentication: ClientAuthenticator {
    public func authenticate(_ request: ClientRequest) -> ClientProof {
        let id = request.clientID
        return switch self {
        case .none: ClientProof(parameters: [(name: "client_id", value: id)])  // RFC 6749 §3.2.1
        case .secretBasic(let secret): ClientProof(fields: [(name: "Authorization", value: Self.basic(id, secret))])
        case .secretPost(let secret):
            ClientProof(parameters: [(name: "client_id", value: id), (name: "client_secret", value: secret)])
        }
    }

    public var isPublic: Bool { self == .none }

    // MARK: -

    /// RFC 6749 §2.3.1 and App. B: both are form-encoded first, so that a colon or an umlaut in them survives.
    private static func basic(_ id: String, _ secret: String) -> String {
        let pair = "\(FormEncoding.escape(id)):\(FormEncoding.escape(secret))"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
}
