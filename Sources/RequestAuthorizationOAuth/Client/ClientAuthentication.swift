// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import RequestAuthorization

/// How a client proves to an authorization server that it is itself (RFC 6749 §2.3): one way for each request.
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

extension ClientAuthentication {
    /// What the body of a request says of the client.
    func parameters(for id: String) -> [(name: String, value: String)] {
        switch self {
        case .none: [("client_id", id)]  // RFC 6749 §3.2.1
        case .secretBasic: []
        case .secretPost(let secret): [("client_id", id), ("client_secret", secret)]
        }
    }

    /// What the header of a request says of it.
    func fields(for id: String) -> [(name: String, value: String)] {
        guard case .secretBasic(let secret) = self else { return [] }
        // RFC 6749 §2.3.1 and App. B: both are form-encoded first, so that a colon or an umlaut in them survives.
        let pair = "\(FormEncoding.escape(id)):\(FormEncoding.escape(secret))"
        return [("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")]
    }
}
