// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The numbers of a private key, read from one of the usual file formats.
enum PrivateKeyParts {
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

extension PrivateKeyParts: RedactedDescription {}
