// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The curves of ES256, ES384 and ES512, by their names in a JWK (RFC 7518 §6.2.1.1).
enum EllipticCurve: String, CaseIterable, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The bytes of a coordinate, and of each number of a signature (RFC 7518 §3.4).
    var length: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// A number of this length. Some programs write it without its leading zeros, or with more of them.
    func number(_ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        return [UInt8](repeating: 0, count: max(0, length - digits.count)) + digits
    }

    /// The object identifier in key files (RFC 5480 §2.1.1.1).
    var identifier: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        }
    }
}
