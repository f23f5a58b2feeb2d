// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet
import Crypto
import Foundation

/// Keeps from the database what it need not know: a browser's id, and what is noted of it.
struct SessionSeal: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: SymmetricKey

    /// - Parameter key: of the fleet. Tokens are sealed with it; for sessions another one is derived (RFC 5869).
    init(key: Data) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key), info: Data("spotify-web sessions".utf8), outputByteCount: 32)
    }

    /// The key of a browser's row. The id is random, so a hash tells nothing of it.
    func row(of id: SessionSecret) -> Data { Data(SHA256.hash(data: Data(id.text.utf8))) }

    /// - Parameter row: what it is bound to: in another row it cannot be opened.
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
