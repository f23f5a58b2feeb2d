// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One way in which a server would accept a credential (RFC 9110 §11.3), for instance
/// `Bearer realm="api", error="invalid_token"`.
public struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme as the server wrote it; compare with ``isScheme(_:)``.
    public let scheme: String

    /// The token68 that some schemes send in place of parameters.
    public let token68: String?

    /// The parameters, names in lower case.
    public let parameters: [String: String]

    public init(scheme: String, token68: String? = nil, parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }
}
