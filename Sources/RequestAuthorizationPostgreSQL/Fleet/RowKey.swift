// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import RequestAuthorization

/// The key by which rows are found: the database learns of no client and no account.
///
/// It is made with the tables and kept there, sealed, so that it outlives the keys that seal tokens.
struct RowKey: AuthorizationToken, Codable {
    private let key: Data

    /// A random one, 32 bytes.
    init() { key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

    var authorizationHeaderValue: String { "" }

    /// The key of the row of a client and account: HMAC-SHA256 (RFC 2104) of both, each after its length in 8 bytes.
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
