// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension StoredToken {
    /// Whether both have the same version and content.
    func isSame(as other: StoredToken) -> Bool {
        guard version == other.version else { return false }
        return switch (content, other.content) {
        case (.signedOut, .signedOut): true
        case (.moved(let one), .moved(let other)): one == other
        case (.token(let one), .token(let other)): Self.isSame(one, other)
        default: false
        }
    }

    /// Compares all encoded fields, refresh token included, if the type is `Encodable`; else the header value only.
    private static func isSame(_ one: Token, _ other: Token) -> Bool {
        if one.authorizationHeaderValue != other.authorizationHeaderValue { return false }
        guard let one = one as? any Encodable, let other = other as? any Encodable else { return true }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let one = try? encoder.encode(one), let other = try? encoder.encode(other) else { return false }
        // A set is encoded in another order than its equal copy.
        return one.sorted() == other.sorted()
    }
}
