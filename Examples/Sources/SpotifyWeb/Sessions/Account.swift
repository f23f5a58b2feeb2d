// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Whose tokens they are: one log-in of one user, and the identity for which the pool keeps a provider.
///
/// The tokens are here and not in the provider, so that the pool may let go of one that is idle. They end with the session.
struct Account<Token: AuthorizationToken>: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let tokens = InMemoryTokenStore<Token>()

    static func == (left: Self, right: Self) -> Bool { left.tokens === right.tokens }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(tokens)) }

    var description: String { "Account" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
