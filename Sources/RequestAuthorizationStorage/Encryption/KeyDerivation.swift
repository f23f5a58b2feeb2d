// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// How the key of an envelope is derived.
enum KeyDerivation: Hashable, Sendable {
    /// The key is used as it is.
    case none
    /// The key is derived from a password with ``PBKDF2``.
    case pbkdf2(salt: [UInt8], rounds: Int)

    /// The number in the envelope. Its meaning never changes.
    var code: UInt8 { if case .pbkdf2 = self { 1 } else { 0 } }
    var salt: [UInt8] { if case .pbkdf2(let salt, _) = self { salt } else { [] } }
    var rounds: Int { if case .pbkdf2(_, let rounds) = self { rounds } else { 0 } }

    init(from reader: inout ByteReader) throws(EnvelopeProblem) {
        let code = try reader.number(UInt8.self)
        let salt = try reader.field(0...PBKDF2.saltBytes.upperBound)
        guard let rounds = Int(exactly: try reader.number(UInt32.self)) else { throw .malformed }
        switch code {
        case 0:
            guard salt.isEmpty, rounds == 0 else { throw .malformed }
            self = .none
        case 1:
            guard PBKDF2.saltBytes.contains(salt.count) else { throw .malformed }
            guard PBKDF2.rounds.contains(rounds) else { throw .rounds(rounds) }
            self = .pbkdf2(salt: salt, rounds: rounds)
        default: throw .otherFormat("key derivation \(code)")
        }
    }
}

/// PBKDF2 with HMAC-SHA-256 (RFC 8018 §5.2) of the platform's cryptography library: it makes guessing passwords slow.
enum PBKDF2 {
    /// From the recommended number for SHA-256 to one that takes seconds. Envelopes with other numbers are refused.
    static let rounds = 600_000...10_000_000
    /// In bytes.
    static let saltBytes = 16...64
}
#endif
