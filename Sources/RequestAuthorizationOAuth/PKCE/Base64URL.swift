// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Base64 with `-` and `_`, without padding (RFC 4648 §5, RFC 7636 App. A).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: encoded(bytes), as: UTF8.self)
    }

    /// Encodes bytes, as ASCII.
    static func encoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        return unsafe alphabet.withUnsafeBufferPointer { alphabet in
            unsafe [UInt8](unsafeUninitializedCapacity: (bytes.count * 8 + 5) / 6) { text, length in
                var (bits, count): (UInt32, UInt32) = (0, 0)
                for byte in bytes {
                    bits = bits << 8 | UInt32(byte)
                    count += 8
                    while count >= 6 {
                        count -= 6
                        unsafe text.initializeElement(at: length, to: alphabet[Int(bits >> count & 63)])
                        length += 1
                    }
                }
                guard count > 0 else { return }
                unsafe text.initializeElement(at: length, to: alphabet[Int(bits << (6 - count) & 63)])
                length += 1
            }
        }
    }

    /// - Returns: `nil` if the text is not Base64URL, or is padded.
    package static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ !"+/=".utf8.contains($0) }) else { return nil }
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: plain + padding).map { Array($0) }
    }

    /// The encoding of `count` random bytes, which cannot be guessed.
    package static func random(bytes count: Int, using generator: inout some RandomNumberGenerator) -> String {
        encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
