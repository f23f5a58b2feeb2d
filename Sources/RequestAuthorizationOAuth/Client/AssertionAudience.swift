// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The recipient that an assertion names (RFC 7523 §3). Other servers must reject the assertion.
public enum AssertionAudience: Sendable, Hashable {
    /// The server's issuer, which must be known.
    case issuer
    /// The token endpoint, for servers that follow RFC 7523 of 2015 and accept nothing else.
    case tokenEndpoint
    /// The value that a server's documentation requires.
    case text(String)

    /// The value of `aud`.
    ///
    /// - Throws: `InvalidTokenRequest` for the parameter if the server's value is not known.
    func text(for server: AuthorizationServer, parameter: String) throws(InvalidTokenRequest) -> String {
        let (audience, advice) =
            switch self {
            case .issuer: (server.issuer, "issuer, which is not known: name it, or discover the server")
            case .tokenEndpoint:
                (server.tokenEndpoint?.absoluteString, "token endpoint, which is not known: name it")
            case .text(let text): (text, "")
            }
        guard let audience else {
            throw InvalidTokenRequest(parameter: parameter, detail: "needs the server's \(advice)")
        }
        return audience
    }
}
