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
    var code: UInt8 {
        switch self {
        case .none: 0
        case .pbkdf2: 1
        }
    }

    var salt: [UInt8] {
        switch self {
        case .none: []
        case .pbkdf2(let salt, _): salt
        }
    }

    var rounds: Int {
        switch self {
        case .none: 0
        case .pbkdf2(_, let rounds): rounds
        }
    }

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
#endif
