// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// For whom an assertion is made (RFC 7523 §3): nobody else takes it.
public enum AssertionAudience: Sendable, Hashable {
    /// The server's issuer, which must be known.
    case issuer
    /// The token endpoint, for servers that follow RFC 7523 as it was in 2015 and know nothing else.
    case tokenEndpoint
    /// What a server's documentation says.
    case text(String)

    /// The value of `aud`.
    ///
    /// - Throws: `InvalidTokenRequest` for the parameter if it is not known.
    func text(for server: AuthorizationServer, parameter: String) throws(InvalidTokenRequest) -> String {
        let (audience, advice) =
            switch self {
            case .issuer: (server.issuer, "the server's issuer: name it, or discover the server")
            case .tokenEndpoint: (server.tokenEndpoint?.absoluteString, "the server's token endpoint: name it")
            case .text(let text): (text, "")
            }
        guard let audience else { throw InvalidTokenRequest(parameter: parameter, detail: "is made for \(advice)") }
        return audience
    }
}
