// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import RequestAuthorization

/// The secret that hides client and account from the database: it turns them into the key of a row.
///
/// It is made with the tables and stored there encrypted, so that it outlives the keys that encrypt tokens.
struct RowKey: AuthorizationToken, Codable {
    private let key: Data

    /// Creates a random key of 32 bytes.
    init() { key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

    var authorizationHeaderValue: String { "" }

    /// Returns the key of a row: HMAC-SHA256 (RFC 2104) of client and account, each after its length in 8 bytes.
    func row(client: String, account: String) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        for name in [client, account] {
            withUnsafeBytes(of: UInt64(name.utf8.count).bigEndian) { code.update(data: $0) }
            code.update(data: Data(name.utf8))
        }
        return Array(code.finalize())
    }
}
#endif
