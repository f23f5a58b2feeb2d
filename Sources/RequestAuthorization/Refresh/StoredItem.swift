// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A ``StoredToken`` without the type of the token.
struct StoredItem: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case token(HeldToken)
        case signedOut
        /// The session goes on in another store.
        case moved(to: String)
    }

    let content: Content
    let version: TokenVersion
    let obtainedAt: Date

    var token: HeldToken? { if case .token(let held) = content { held } else { nil } }

    /// Why the session is over in this store, if it holds no token.
    var ending: NotAuthorized {
        guard case .moved(let place) = content else { return NotAuthorized(.signedOut) }
        return NotAuthorized(.signedOut, detail: "the session was moved to \(place): make the provider with that store")
    }
}
