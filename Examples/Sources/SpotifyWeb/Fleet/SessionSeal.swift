// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet
import Crypto
import Foundation

/// Hides the ids of browsers and the data of their sessions from the database.
struct SessionSeal: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: SymmetricKey
    private let oldKeys: [SymmetricKey]

    /// - Parameters:
    ///   - key: the key of the fleet, which seals tokens. The key for sessions is derived from it (RFC 5869).
    ///   - oldKeys: earlier keys, to open with.
    init(key: Data, oldKeys: [Data]) {
        self.key = Self.derived(from: key)
        self.oldKeys = oldKeys.map(Self.derived)
    }

    /// The key of a browser's row. The id is random, so its hash reveals nothing about it.
    func row(of id: SessionSecret) -> Data { Data(SHA256.hash(data: Data(id.text.utf8))) }

    /// - Parameter row: the row of the value. It cannot be opened in another row.
    func seal(_ value: some Encodable, in row: Data) throws -> Data {
        let box = try AES.GCM.seal(JSONEncoder().encode(value), using: key, authenticating: row)
        return box.nonce + box.ciphertext + box.tag
    }

    func open<Value: Decodable>(_ data: Data, in row: Data) throws -> Value {
        let box = try AES.GCM.SealedBox(combined: data)
        // Only the key that has sealed a value opens it.
        let old = oldKeys.lazy.compactMap { try? AES.GCM.open(box, using: $0, authenticating: row) }.first
        return try JSONDecoder().decode(Value.self, from: old ?? AES.GCM.open(box, using: key, authenticating: row))
    }

    private static func derived(from key: Data) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key), info: Data("spotify-web sessions".utf8), outputByteCount: 32)
    }

    var description: String { "SessionSeal([redacted])" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
