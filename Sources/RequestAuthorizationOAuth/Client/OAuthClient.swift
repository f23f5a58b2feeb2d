// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A client as it is registered with an authorization server, and the parameters that it sends.
///
///     let tool: OAuthClient = .public(id: "tool")
///     var billing = OAuthClient.secretBasic(id: "billing", secret: secret)
///     billing.resources = ["https://api.example.com"]
public struct OAuthClient: Sendable, Hashable {
    /// The `client_id` (RFC 6749 §2.2).
    public let id: String
    /// How the client proves itself, unless a ``ClientAuthenticator`` does.
    package let authentication: ClientAuthentication
    /// The APIs that tokens are for, as absolute URIs without a fragment (RFC 8707 §2).
    ///
    /// They are sent with each sign-in and with each request for a token, including refreshes.
    public var resources: [String]
    /// Further parameters of a sign-in, such as `audience`, `access_type`, `prompt` or `login_hint`.
    ///
    /// They cannot replace parameters that this library sends.
    public var authorizationParameters: [String: String]
    /// Further parameters of each request for a token. They cannot replace parameters that this library sends.
    public var tokenParameters: [String: String]
    /// Audiences that an ID token may name besides this client; one with any other is refused.
    public var trustedAudiences: Set<String> = []

    package init(
        id: String, authentication: ClientAuthentication, resources: [String] = [],
        authorizationParameters: [String: String] = [:], tokenParameters: [String: String] = [:]
    ) {
        (self.id, self.authentication, self.resources) = (id, authentication, resources)
        (self.authorizationParameters, self.tokenParameters) = (authorizationParameters, tokenParameters)
    }
}

extension OAuthClient {
    /// A client that cannot keep a secret: an app, a command-line tool.
    public static func `public`(id: String) -> OAuthClient { OAuthClient(id: id, authentication: .none) }

    /// A client that sends its secret in the `Authorization` field (`client_secret_basic`, RFC 6749 §2.3.1).
    public static func secretBasic(id: String, secret: String) -> OAuthClient {
        OAuthClient(id: id, authentication: .secretBasic(secret))
    }

    /// A client that sends its secret in the body (`client_secret_post`), for servers that accept nothing else.
    public static func secretPost(id: String, secret: String) -> OAuthClient {
        OAuthClient(id: id, authentication: .secretPost(secret))
    }
}

/// Shows the id, which is not secret. Extra parameters may be: a `login_hint` is a user's name.
extension OAuthClient: OwnDescription {
    @usableFromInline package var ownDescription: String { "OAuthClient(\(id), \(authentication))" }
}

extension OAuthClient: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, authentication, resources, authorizationParameters, tokenParameters, trustedAudiences
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(String.self, forKey: .id),
            authentication: try values.decode(ClientAuthentication.self, forKey: .authentication),
            // Earlier versions did not write it.
            resources: try values.decodeIfPresent([String].self, forKey: .resources) ?? [],
            authorizationParameters: try values.decode([String: String].self, forKey: .authorizationParameters),
            tokenParameters: try values.decode([String: String].self, forKey: .tokenParameters))
        trustedAudiences = try values.decodeIfPresent(Set<String>.self, forKey: .trustedAudiences) ?? []
    }
}
