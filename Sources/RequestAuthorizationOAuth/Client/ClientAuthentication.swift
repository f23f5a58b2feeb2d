// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authenticates a client with a secret, or identifies a client that has none (RFC 6749 §2.3).
package enum ClientAuthentication: Sendable, Hashable, Codable {
    /// Sends the `client_id` only, for apps and tools, which cannot keep a secret.
    case none
    /// Sends the id and this secret in the `Authorization` field (`client_secret_basic`).
    case secretBasic(String)
    /// Sends the id and this secret in the body (`client_secret_post`), for servers that accept nothing else.
    case secretPost(String)
}

extension ClientAuthentication: RedactedDescription {
    package var description: String {
        switch self {
        case .none: "none"
        case .secretBasic: "secretBasic([redacted])"
        case .secretPost: "secretPost([redacted])"
        }
    }
}

extension ClientAuthentication: ClientAuthenticator {
    package func authenticate(_ request: ClientRequest) -> ClientProof {
        let id = request.clientID
        return switch self {
        case .none: ClientProof(parameters: [(name: "client_id", value: id)])  // RFC 6749 §3.2.1
        case .secretBasic(let secret):
            ClientProof(
                parameters: request.server.quirks.sendsClientIDBesideBasic ? [(name: "client_id", value: id)] : [],
                fields: [(name: "Authorization", value: Self.basic(id, secret))])
        case .secretPost(let secret):
            ClientProof(parameters: [(name: "client_id", value: id), (name: "client_secret", value: secret)])
        }
    }

    package var isPublic: Bool { self == .none }

    // MARK: -

    /// Form-encodes id and secret first, so that a colon or an umlaut is preserved (RFC 6749 §2.3.1 and App. B).
    private static func basic(_ id: String, _ secret: String) -> String {
        let pair = "\(FormEncoding.escape(id)):\(FormEncoding.escape(secret))"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
}
