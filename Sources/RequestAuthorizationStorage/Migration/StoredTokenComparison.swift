// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Compares stored tokens, whose type need not be `Equatable`.
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

    /// Compares all encoded fields, refresh token included, if the type is `Encodable`; else the header value only.
    private static func isSame<Token: AuthorizationToken>(_ one: Token, _ other: Token) -> Bool {
        if one.authorizationHeaderValue != other.authorizationHeaderValue { return false }
        guard let one = one as? any Encodable, let other = other as? any Encodable else { return true }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let one = try? encoder.encode(one), let other = try? encoder.encode(other) else { return false }
        return one == other
    }
}
