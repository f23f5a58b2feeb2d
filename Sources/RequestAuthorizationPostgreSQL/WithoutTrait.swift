// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// What needs a trait, where it is off: its use is a message that names the trait.
#if !PostgreSQL
public import RequestAuthorizationStorage

#if canImport(CryptoKit) || Crypto
extension PostgreSQLTokens {
    /// Uses a database through libpq: with the trait `PostgreSQL`.
    @available(
        *, unavailable, message: "enable the trait 'PostgreSQL' of swift-request-authorization, which brings libpq"
    )
    public init(connection: String, key: TokenKey, oldKeys: [TokenKey] = []) async throws { fatalError("unavailable") }
}
#else
/// Tokens of many users that many hosts share: with the trait `PostgreSQL`, or `Crypto` for a driver of your own.
@available(*, unavailable, message: "enable the trait 'PostgreSQL' of swift-request-authorization, which brings libpq")
public struct PostgreSQLTokens: Sendable {
    public init(connection: String, key: TokenKey, oldKeys: [TokenKey] = []) async throws { fatalError("unavailable") }
}
#endif
#endif
