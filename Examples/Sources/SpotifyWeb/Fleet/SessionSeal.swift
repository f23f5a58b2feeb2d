// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet
import Crypto
import Foundation

/// Hides the ids of browsers and the data of their sessions from the database.
struct SessionSeal: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: SymmetricKey

    /// - Parameter key: the key of the fleet, which seals tokens. The key for sessions is derived from it (RFC 5869).
    init(key: Data) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key), info: Data("spotify-web sessions".utf8), outputByteCount: 32)
    }

    /// The key of a browser's row. The id is random, so its hash reveals nothing about it.
    func row(of id: SessionSecret) -> Data { Data(SHA256.hash(data: Data(id.text.utf8))) }

    /// - Parameter row: the row of the value. It cannot be opened in another row.
    func seal(_ value: some Encodable, in row: Data) throws -> Data {
        let box = try AES.GCM.seal(JSONEncoder().encode(value), using: key, authenticating: row)
        return box.nonce + box.ciphertext + box.tag
    }

    func open<Value: Decodable>(_ data: Data, in row: Data) throws -> Value {
        try JSONDecoder().decode(
            Value.self, from: AES.GCM.open(AES.GCM.SealedBox(combined: data), using: key, authenticating: row))
    }

    var description: String { "SessionSeal([redacted])" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
