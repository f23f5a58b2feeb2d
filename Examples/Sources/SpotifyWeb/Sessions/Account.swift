// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import RequestAuthorization

/// Whose tokens they are: one log-in of one user, and the identity for which the pool keeps a provider.
///
/// The tokens are here and not in the provider, so that the pool may let go of one that is idle. They end with the session.
struct Account<Token: AuthorizationToken>: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let id: UUID
    let tokens: any TokenStore<Token>

    /// - Parameters:
    ///   - id: a new one for each log-in.
    ///   - tokens: where its tokens are kept.
    init(id: UUID = UUID(), tokens: any TokenStore<Token> = InMemoryTokenStore<Token>()) {
        (self.id, self.tokens) = (id, tokens)
    }

    static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    var description: String { "Account" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
