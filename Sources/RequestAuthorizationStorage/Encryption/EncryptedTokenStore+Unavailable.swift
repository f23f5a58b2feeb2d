// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if !canImport(CryptoKit) && !Crypto
public import RequestAuthorization

/// Keeps a token encrypted, in any store of bytes: with the trait `Crypto`.
@available(
    *, unavailable,
    message: "EncryptedTokenStore needs cryptography: enable the trait 'Crypto' of swift-request-authorization"
)
public enum EncryptedTokenStore<Token: AuthorizationToken & Codable, Items: TokenItemStore> {}

/// A key that tokens are sealed with: with the trait `Crypto`.
@available(
    *, unavailable, message: "TokenKey needs cryptography: enable the trait 'Crypto' of swift-request-authorization"
)
public enum TokenKey {}
#endif
