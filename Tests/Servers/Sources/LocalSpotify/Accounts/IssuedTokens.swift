// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The tokens of a successful call of the token endpoint.
struct IssuedTokens: Hashable, Sendable {
    let accessToken: String
    /// `nil` if the client keeps its refresh token.
    let refreshToken: String?
    /// The access token's place in its family, counted from 0.
    let generation: Int
    let scopes: Set<String>
}

extension IssuedTokens: CustomStringConvertible, CustomReflectable {
    var description: String { "IssuedTokens(generation \(generation))" }
    var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}
