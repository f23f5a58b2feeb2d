// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Declarations of the API for the encrypted store, PKCE and signatures, with the types of Apple's reference
// (https://developer.apple.com/documentation/cryptokit), for the type checker only: the bodies do nothing.

import Foundation

public struct SymmetricKeySize: Sendable {
    public static let bits256 = SymmetricKeySize()
}

public struct SymmetricKey: ContiguousBytes, Sendable {
    public init<D: ContiguousBytes>(data: D) {}
    public init(size: SymmetricKeySize) {}
    public var bitCount: Int { 0 }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

public enum AES {
    public enum GCM {
        public struct Nonce: ContiguousBytes, Sendable {
            public init() {}
            public init<D: DataProtocol>(data: D) throws {}
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
                try body(UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
        public struct SealedBox: Sendable {
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {}
            public var ciphertext: Data { Data() }
            public var tag: Data { Data() }
        }
        public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
            _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> SealedBox { try SealedBox(nonce: Nonce(), ciphertext: Data(), tag: Data()) }
        public static func open<AuthenticatedData: DataProtocol>(
            _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
        ) throws -> Data { Data() }
    }
}

public enum ChaChaPoly {
    public typealias Nonce = AES.GCM.Nonce
    public typealias SealedBox = AES.GCM.SealedBox
    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
        _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil,
        authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox { try SealedBox(nonce: Nonce(), ciphertext: Data(), tag: Data()) }
    public static func open<AuthenticatedData: DataProtocol>(
        _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
    ) throws -> Data { Data() }
}

public protocol HashFunction {
    associatedtype Digest: Sequence where Digest.Element == UInt8
    init()
    mutating func update<D: DataProtocol>(data: D)
    func finalize() -> Digest
}

extension HashFunction {
    public static func hash<D: DataProtocol>(data: D) -> Digest { Self().finalize() }
}

public protocol Digest: ContiguousBytes, Hashable, Sequence where Element == UInt8 {}

public struct SHA256Digest: Digest, Sendable {
    public func makeIterator() -> [UInt8].Iterator { [].makeIterator() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

public struct SHA256: HashFunction, Sendable {
    public init() {}
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> SHA256Digest { SHA256Digest() }
}

public struct HMAC<H: HashFunction> {
    public init(key: SymmetricKey) {}
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> [UInt8] { [] }
}

public struct HKDF<H: HashFunction> {
    public static func deriveKey<Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int
    ) -> SymmetricKey { inputKeyMaterial }
}

public enum CryptoKitError: Error {
    case underlyingCoreCryptoError(error: Int32)
}

public enum P256 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
        }
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data { Data() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public var rawRepresentation: Data { Data() }
            public var publicKey: PublicKey { PublicKey() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { ECDSASignature() }
            public func signature<D: Digest>(for digest: D) throws -> ECDSASignature { ECDSASignature() }
        }
    }
}

public enum P384 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
        }
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data { Data() }
        }
        public struct PrivateKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public var publicKey: PublicKey { PublicKey() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { ECDSASignature() }
        }
    }
}

public enum P521 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
        }
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data { Data() }
        }
        public struct PrivateKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public var publicKey: PublicKey { PublicKey() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { ECDSASignature() }
        }
    }
}

public enum SecureEnclave {
    public static var isAvailable: Bool { false }

    public enum P256 {
        public enum Signing {
            public struct PrivateKey: Sendable {
                public init(compactRepresentable: Bool = true) throws {}
                public init(dataRepresentation: Data) throws {}
                public var dataRepresentation: Data { Data() }
                public var publicKey: CryptoKit.P256.Signing.PublicKey { CryptoKit.P256.Signing.PublicKey() }
                public func signature<D: DataProtocol>(
                    for data: D
                ) throws -> CryptoKit.P256.Signing.ECDSASignature { CryptoKit.P256.Signing.ECDSASignature() }
                public func signature<D: Digest>(
                    for digest: D
                ) throws -> CryptoKit.P256.Signing.ECDSASignature { CryptoKit.P256.Signing.ECDSASignature() }
            }
        }
    }
}

public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
        }
        public struct PrivateKey: Sendable {
            public init() {}
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws {}
            public var rawRepresentation: Data { Data() }
            public var publicKey: PublicKey { PublicKey() }
            public func signature<D: DataProtocol>(for data: D) throws -> Data { Data() }
        }
    }
}
