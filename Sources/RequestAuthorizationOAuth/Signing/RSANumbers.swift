// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The numbers of an RSA key (RFC 8017 §A.1.2), without leading zeros: n, e, d, p, q, d mod p-1, d mod q-1, 1/q mod p.
struct RSANumbers {
    let all: [[UInt8]]

    var modulus: [UInt8] { all[0] }
    var exponent: [UInt8] { all[1] }

    /// The names of the numbers in a JWK (RFC 7518 §6.3).
    static let names = ["n", "e", "d", "p", "q", "dp", "dq", "qi"]

    init(_ numbers: [[UInt8]]) throws(SigningKeyError) {
        guard numbers.count == Self.names.count, numbers.allSatisfy({ !$0.isEmpty }) else {
            throw SigningKeyError(.malformed)
        }
        all = numbers
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard bits >= 2048 else { throw SigningKeyError(.tooShort) }
    }

    /// Reads PKCS #1.
    init(pkcs1 der: [UInt8]) throws(SigningKeyError) {
        var outer = DERReader(der)
        var key = DERReader(try outer.read(DERReader.Tag.sequence))
        // Version 0: two primes.
        guard try key.readInteger().isEmpty else { throw SigningKeyError(.unsupported) }
        var numbers: [[UInt8]] = []
        for _ in Self.names { numbers.append(try key.readInteger()) }
        try self.init(numbers)
    }

    /// The key as PKCS #1.
    var pkcs1: [UInt8] {
        DERWriter.element(DERReader.Tag.sequence, ([[]] + all).flatMap { DERWriter.integer($0) })
    }
}

extension RSANumbers: RedactedDescription {}
