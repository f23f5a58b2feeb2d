// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The numbers of a private key, read from one of the usual file formats.
enum PrivateKeyParts: RedactedDescription {
    /// The 32 bytes of a key on P-256.
    case p256([UInt8])
    /// The 32 bytes of an Ed25519 key.
    case ed25519([UInt8])
    case rsa(RSANumbers)

    /// Reads PKCS #8 (RFC 5958), PKCS #1 (RFC 8017) or SEC 1 (RFC 5915).
    init(pem text: String) throws(SigningKeyError) {
        let (kind, der) = try PEM.privateKey(in: text)
        switch kind {
        case "": self = try Self.pkcs8(der)
        case "RSA": self = .rsa(try RSANumbers(pkcs1: der))
        case "EC": self = .p256(try Self.sec1(der, isNamed: false))
        default: throw SigningKeyError(.unsupported)
        }
    }

    // MARK: -

    /// RFC 8017 §A.1, RFC 5480 §2.1.1, RFC 8410 §3.
    private enum Identifier {
        static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        static let ec: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    }

    private static func pkcs8(_ der: [UInt8]) throws(SigningKeyError) -> PrivateKeyParts {
        var outer = DERReader(der)
        var info = DERReader(try outer.read(DERReader.Tag.sequence))
        _ = try info.readInteger()
        var algorithm = DERReader(try info.read(DERReader.Tag.sequence))
        let identifier = try algorithm.read(DERReader.Tag.objectIdentifier)
        let key = try info.read(DERReader.Tag.octetString)
        switch identifier {
        case Identifier.rsa: return .rsa(try RSANumbers(pkcs1: key))
        case Identifier.ed25519:
            var reader = DERReader(key)
            return .ed25519(try reader.read(DERReader.Tag.octetString))
        case Identifier.ec:
            guard try algorithm.read(DERReader.Tag.objectIdentifier) == Identifier.p256 else {
                throw SigningKeyError(.unsupported)
            }
            return .p256(try sec1(key, isNamed: true))
        default: throw SigningKeyError(.unsupported)
        }
    }

    /// - Parameter isNamed: whether the outer structure has named the curve P-256 already.
    private static func sec1(_ der: [UInt8], isNamed: Bool) throws(SigningKeyError) -> [UInt8] {
        var outer = DERReader(der)
        var key = DERReader(try outer.read(DERReader.Tag.sequence))
        _ = try key.readInteger()
        let secret = try key.read(DERReader.Tag.octetString)
        guard !isNamed else { return secret }
        var parameters = DERReader(try key.read(0xA0))
        guard try parameters.read(DERReader.Tag.objectIdentifier) == Identifier.p256 else {
            throw SigningKeyError(.unsupported)
        }
        return secret
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
    var pkcs1: [UInt8] { DERWriter.element(DERReader.Tag.sequence, ([[]] + all).flatMap { DERWriter.integer($0) }) }
}

/// Reads the textual encoding of keys (RFC 7468).
enum PEM {
    /// Reads the first private key of a text, and skips other blocks, such as curve parameters.
    ///
    /// - Returns: the label without `PRIVATE KEY`, and the decoded contents.
    static func privateKey(in text: String) throws(SigningKeyError) -> (kind: String, der: [UInt8]) {
        var label: String?
        var body = ""
        var sawOther = false
        for line in text.split(whereSeparator: \.isNewline).map({ $0.filter { !$0.isWhitespace || $0 == " " } }) {
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
                (label, body) = (String(line.dropFirst(11).dropLast(5)), "")
            } else if let open = label, line == "-----END \(open)-----" {
                if open.hasSuffix("PRIVATE KEY") { return (try kind(of: open), try bytes(of: body)) }
                (label, sawOther) = (nil, true)
            } else if label != nil {
                // A header of the older, encrypted form, such as `Proc-Type: 4,ENCRYPTED`.
                if line.contains(":") { throw SigningKeyError(.encrypted) }
                body += line
            }
        }
        throw SigningKeyError(sawOther ? .notPrivate : .notPEM)
    }

    private static func kind(of label: String) throws(SigningKeyError) -> String {
        let kind = label.dropLast("PRIVATE KEY".count).split(separator: " ").joined(separator: " ")
        if kind == "ENCRYPTED" { throw SigningKeyError(.encrypted) }
        return kind
    }

    private static func bytes(of body: String) throws(SigningKeyError) -> [UInt8] {
        guard let data = Data(base64Encoded: body.filter { $0 != " " }), !data.isEmpty else {
            throw SigningKeyError(
                .malformed, detail: "the text between its first and last line is not Base64; pass the file unchanged")
        }
        return Array(data)
    }
}
