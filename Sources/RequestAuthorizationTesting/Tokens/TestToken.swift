// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A token for tests, known by its name.
///
///     TestToken("a").authorizationHeaderValue              // "Bearer a"
///
/// It prints as every token does, redacted: compare names where a failed expectation should say which token it was.
public struct TestToken: AuthorizationToken, Hashable, Codable {
    /// What tells it from others; the credential too.
    public let name: String
    public let expiresAt: Date

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - name: the credential: letters, digits, `-._~+/`.
    ///   - expiresAt: never by default.
    public init(_ name: String, expiresAt: Date = .distantFuture) {
        self.name = name
        self.expiresAt = expiresAt
    }

    public var authorizationHeaderValue: String { "Bearer \(name)" }
}
