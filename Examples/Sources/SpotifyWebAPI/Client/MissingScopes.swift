// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The user has not allowed what a call needs; nothing was sent.
///
/// Scopes are not added to a sign-in: sign in again for the old and the new ones together.
public struct MissingScopes: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is missing, for instance `user-modify-playback-state`.
    public let scopes: Set<String>
    /// Whether one of them would do.
    public let isAlternative: Bool

    public var description: String {
        let names = scopes.sorted().joined(separator: isAlternative ? " or " : ", ")
        return "the sign-in does not allow \(names): sign in again and ask for it together with what is allowed now"
    }
}
