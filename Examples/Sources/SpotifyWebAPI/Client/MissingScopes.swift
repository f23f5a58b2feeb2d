// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The token lacks scopes that a call needs. No request was sent.
///
/// A sign-in does not add scopes to an earlier one. Ask for the old and the new scopes together.
public struct MissingScopes: Error, Hashable, Sendable, CustomStringConvertible {
    /// The missing scopes, for instance `user-modify-playback-state`.
    public let scopes: Set<String>
    /// Whether one of them is enough.
    public let isAlternative: Bool

    public var description: String {
        let names = scopes.sorted().joined(separator: isAlternative ? " or " : ", ")
        return "the sign-in does not allow \(names): sign in again and ask for it together with the present scopes"
    }
}
