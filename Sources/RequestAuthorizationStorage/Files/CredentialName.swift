// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A client and an account, and their file names.
///
/// The names are unique, also on a file system that ignores case. All bytes but `a`–`z`, `0`–`9`, `-` and `_` are
/// written as `%` and two hexadecimal digits. A comma separates client and account.
///
/// A name longer than ``maximumLength`` is shortened and ends with two commas and a hash. Then another file has the
/// full names, and another credential with the same hash is refused.
struct CredentialName: Hashable, Sendable, Codable {
    let client: String
    let account: String

    /// The common beginning of the file names.
    var stem: String {
        let (client, account) = (Self.encode(client), Self.encode(account))
        let stem = "\(client),\(account)"
        if stem.utf8.count <= Self.maximumLength { return stem }
        return "\(client.prefix(70)),\(account.prefix(70)),,\(hash)"
    }

    var isShortened: Bool { stem.contains(",,") }

    /// In bytes. A file name may have 255, and an extension follows.
    static let maximumLength = 200
}

extension CredentialName {
    /// Decodes a stem. Returns `nil` if it is shortened or is not of this package.
    init?(stem: Substring) {
        let parts = stem.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let client = Self.decode(parts[0]), let account = Self.decode(parts[1]) else {
            return nil
        }
        self.init(client: client, account: account)
    }

    // MARK: -

    private static func encode(_ text: String) -> String {
        if text.isEmpty { return "%" }
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x61...0x7A, 0x30...0x39, 0x2D, 0x5F: encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return encoded
    }

    private static func decode(_ text: Substring) -> String? {
        if text == "%" { return "" }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        let decoded = String(decoding: bytes, as: UTF8.self)
        return encode(decoded) == text ? decoded : nil
    }

    private var hash: String { Self.hash(of: Array(client.utf8) + [0xFF] + Array(account.utf8)) }

    /// FNV-1a with 128 bits. It need not be secure, because the full names are compared.
    static func hash(of bytes: [UInt8]) -> String {
        var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in bytes { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
