// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token for tests, identified by its name.
///
///     TestToken("a").authorizationHeaderValue              // "Bearer a"
///
/// Like every token it prints redacted. Compare names if a failed expectation should show which token it was.
public struct TestToken: AuthorizationToken, Hashable, Codable {
    /// The name, which is also the credential.
    public let name: String
    public let expiresAt: Date

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - name: the credential: letters, digits, `-._~+/`.
    ///   - expiresAt: the expiry date; never by default.
    public init(_ name: String, expiresAt: Date = .distantFuture) {
        (self.name, self.expiresAt) = (name, expiresAt)
    }

    public var authorizationHeaderValue: String { "Bearer \(name)" }
}
