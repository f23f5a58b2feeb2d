// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a token call brought.
struct IssuedTokens: Hashable, Sendable {
    let accessToken: String
    /// Absent where the client keeps the one it has.
    let refreshToken: String?
    /// The access token's place in its family, counted from 0.
    let generation: Int
    let scopes: Set<String>
}

extension IssuedTokens: CustomStringConvertible, CustomReflectable {
    var description: String { "IssuedTokens(generation \(generation))" }
    var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}
