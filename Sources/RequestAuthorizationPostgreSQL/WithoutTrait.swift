// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Without the trait, using these declarations is a compiler error that names the trait.
#if !PostgreSQL
#if canImport(CryptoKit) || Crypto
extension PostgreSQLTokens {
    /// Connects to a database through libpq, with the trait `PostgreSQL`.
    @available(
        *, unavailable, message: "enable the trait 'PostgreSQL' of swift-request-authorization, which brings libpq"
    )
    public init(connection: String, key: TokenKey, oldKeys: [TokenKey] = []) async throws { fatalError("unavailable") }
}
#else
/// The tokens of many users, which many hosts share, with the trait `PostgreSQL`, or `Crypto` for a driver of your own.
@available(*, unavailable, message: "enable the trait 'PostgreSQL' of swift-request-authorization, which brings libpq")
public struct PostgreSQLTokens: Sendable {
    public init(connection: String, key: TokenKey, oldKeys: [TokenKey] = []) async throws { fatalError("unavailable") }
}
#endif
#endif
