// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import RequestAuthorization

/// One log-in of one user. It is the identity for which the pool keeps a provider.
///
/// The account holds the tokens, so that the pool can drop an idle provider. They end with the session.
struct Account<Token: AuthorizationToken>: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let id: UUID
    let tokens: any TokenStore<Token>

    /// - Parameters:
    ///   - id: a new id for each log-in.
    ///   - tokens: the store for its tokens.
    init(id: UUID = UUID(), tokens: any TokenStore<Token> = InMemoryTokenStore<Token>()) {
        (self.id, self.tokens) = (id, tokens)
    }

    static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    var description: String { "Account" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
