// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Whether two stored tokens are the same, for any type of token.
enum StoredTokenComparison {
    static func isSame<Token>(_ one: StoredToken<Token>, _ other: StoredToken<Token>) -> Bool {
        guard one.version == other.version else { return false }
        return switch (one.content, other.content) {
        case (.signedOut, .signedOut): true
        case (.moved(let one), .moved(let other)): one == other
        case (.token(let one), .token(let other)): isSame(one, other)
        default: false
        }
    }

    /// By all that is encoded, also a refresh token, where a token can be encoded; else by what goes into requests.
    private static func isSame<Token: AuthorizationToken>(_ one: Token, _ other: Token) -> Bool {
        if one.authorizationHeaderValue != other.authorizationHeaderValue { return false }
        guard let one = one as? any Encodable, let other = other as? any Encodable else { return true }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let one = try? encoder.encode(one), let other = try? encoder.encode(other) else { return false }
        return one == other
    }
}
