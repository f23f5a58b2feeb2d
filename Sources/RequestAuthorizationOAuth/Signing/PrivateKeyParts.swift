// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The numbers of a private key, read from one of the usual file formats.
enum PrivateKeyParts: RedactedDescription {
    /// The number of a key on a curve, and the points that the file gives as its public key (SEC 1 §2.3.3).
    case elliptic(EllipticCurve, [UInt8], publicKeys: [[UInt8]])
    /// The 32 bytes of an Ed25519 key, and those that the file gives as its public key.
    case ed25519([UInt8], publicKeys: [[UInt8]])
    case rsa(RSANumbers)

    /// Reads PKCS #8 (RFC 5958), PKCS #1 (RFC 8017) or SEC 1 (RFC 5915).
    init(pem text: String) throws(SigningKeyError) {
        let (kind, der) = try PEM.privateKey(in: text)
        switch kind {
        case "": self = try Self.pkcs8(der)
        case "RSA": self = .rsa(try RSANumbers(pkcs1: der))
        case "EC": self = try Self.sec1(der, on: nil, publicKeys: [])
        case "OPENSSH":
            throw SigningKeyError(.unsupported, detail: "its form is OpenSSH's own; make a key with openssl genpkey")
        default: throw SigningKeyError(.unsupported)
        }
    }

    // MARK: -

    /// RFC 8017 §A.1, RFC 5480 §2.1.1, RFC 8410 §3.
    private enum Identifier {
        static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
        static let ec: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    }

    private static func pkcs8(_ der: [UInt8]) throws(SigningKeyError) -> PrivateKeyParts {
        var outer = DERReader(der)
        var info = DERReader(try outer.read(DERReader.Tag.sequence))
        _ = try info.readInteger()
        var algorithm = DERReader(try info.read(DERReader.Tag.sequence))
        let identifier = try algorithm.read(DERReader.Tag.objectIdentifier)
        let key = try info.read(DERReader.Tag.octetString)
        _ = try info.readIfPresent(DERReader.Tag.attributes)
        let publicKeys = try info.readPublicKey().map { [$0] } ?? []
        switch identifier {
        case Identifier.rsa: return .rsa(try RSANumbers(pkcs1: key, publicKeys: publicKeys))
        case Identifier.ed25519:
            var reader = DERReader(key)
            return .ed25519(try reader.read(DERReader.Tag.octetString), publicKeys: publicKeys)
        case Identifier.ec:
            return try sec1(key, on: try curve(&algorithm), publicKeys: publicKeys)
        case Identifier.rsaPSS:
            throw SigningKeyError(
                .unsupported, detail: "it is for RSA-PSS only; make a key with openssl genpkey -algorithm RSA")
        default: throw SigningKeyError(.unsupported)
        }
    }

    /// `outerCurve` and `publicKeys` are those that the outer structure gives.
    private static func sec1(
        _ der: [UInt8], on outerCurve: EllipticCurve?, publicKeys: [[UInt8]]
    ) throws(SigningKeyError) -> PrivateKeyParts {
        var outer = DERReader(der)
        var key = DERReader(try outer.read(DERReader.Tag.sequence))
        _ = try key.readInteger()
        let secret = try key.read(DERReader.Tag.octetString)
        var curve = outerCurve
        if let contents = try key.readIfPresent(DERReader.Tag.parameters), curve == nil {
            var parameters = DERReader(contents)
            curve = try Self.curve(&parameters)
        }
        guard let curve else {
            throw SigningKeyError(.malformed, detail: "it does not name its curve; make a key with openssl genpkey")
        }
        let ownKeys = try key.readPublicKey().map { [$0] } ?? []
        return .elliptic(curve, curve.number(secret), publicKeys: publicKeys + ownKeys)
    }

    /// Reads the name of a curve (RFC 5480 §2.1.1).
    private static func curve(_ reader: inout DERReader) throws(SigningKeyError) -> EllipticCurve {
        guard !reader.isNext(DERReader.Tag.sequence) else {
            throw SigningKeyError(
                .unsupported,
                detail: "its curve is given in numbers; convert it with openssl pkey -ec_param_enc named_curve")
        }
        let identifier = try reader.read(DERReader.Tag.objectIdentifier)
        guard let curve = EllipticCurve.allCases.first(where: { $0.identifier == identifier }) else {
            throw SigningKeyError(.unsupported)
        }
        return curve
    }
}

/// The numbers of an RSA key (RFC 8017 §A.1.2), without leading zeros: n, e, d, p, q, d mod p-1, d mod q-1, 1/q mod p.
struct RSANumbers: RedactedDescription {
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
        // The public key n belongs to the primes. Not all platforms check it.
        guard Self.product(all[3], all[4]) == modulus else { throw SigningKeyError(.mismatched) }
    }

    /// Reads PKCS #1. `publicKeys` are further public keys of the file, in the form of RFC 8017 §A.1.1.
    init(pkcs1 der: [UInt8], publicKeys: [[UInt8]] = []) throws(SigningKeyError) {
        var outer = DERReader(der)
        var key = DERReader(try outer.read(DERReader.Tag.sequence))
        // Version 0: two primes.
        guard try key.readInteger().isEmpty else {
            throw SigningKeyError(.unsupported, detail: "it has more than two primes; make one that has two")
        }
        var numbers: [[UInt8]] = []
        for _ in Self.names { numbers.append(try key.readInteger()) }
        try self.init(numbers)
        for publicKey in publicKeys {
            var outer = DERReader(publicKey)
            var key = DERReader(try outer.read(DERReader.Tag.sequence))
            guard try key.readInteger() == modulus, try key.readInteger() == exponent else {
                throw SigningKeyError(.mismatched)
            }
        }
    }

    /// Multiplies two numbers without leading zeros, the highest byte first.
    private static func product(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var digits = [UInt32](repeating: 0, count: a.count + b.count)
        for (i, x) in a.enumerated().reversed() {
            var carry: UInt32 = 0
            for (j, y) in b.enumerated().reversed() {
                let sum = digits[i + j + 1] + UInt32(x) * UInt32(y) + carry
                (digits[i + j + 1], carry) = (sum & 0xFF, sum >> 8)
            }
            digits[i] = carry
        }
        return Array(digits.drop { $0 == 0 }.map { UInt8(truncatingIfNeeded: $0) })
    }

    /// The key as PKCS #1.
    var pkcs1: [UInt8] { DERWriter.element(DERReader.Tag.sequence, ([[]] + all).flatMap { DERWriter.integer($0) }) }
}
