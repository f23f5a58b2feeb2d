// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Signs proofs with the key of a token (RFC 9449 §4.2).
struct ProofSigner: Sendable, RedactedDescription {
    let publicKey: JSONWebKey
    /// Signs a message, of which keys on P-256 need only the hash.
    private let sign: @Sendable (_ message: [UInt8], _ hash: () -> SHA256.Digest) throws -> Data
    /// The encoded header of each proof, with the dot that follows it.
    private let header: [UInt8]
    /// The hash of the header, to which each proof adds its claims.
    private let headerHash: SHA256
    /// The beginning of each `jti` (RFC 9449 §4.2): 128 random bits, which are unique. A number follows.
    ///
    /// New random bits for each proof would take a twentieth of the time of its signature.
    private let prefix = Array((JSONWebToken.makeIdentifier() + ".").utf8)
    private let count = Lock(0)

    /// - Throws: ``ProofUnavailable`` if the key is gone.
    init(_ key: ProofKey) throws {
        do {
            switch key.kind {
            case .p256:
                let secret = try P256.Signing.PrivateKey(rawRepresentation: key.bytes)
                publicKey = JSONWebKey(.p256, point: Array(secret.publicKey.rawRepresentation))
                sign = { _, hash in try secret.signature(for: hash()).rawRepresentation }
            case .ed25519:
                let secret = try Curve25519.Signing.PrivateKey(rawRepresentation: key.bytes)
                publicKey = JSONWebKey(ed25519: secret.publicKey.rawRepresentation)
                sign = { message, _ in try secret.signature(for: message) }
            case .secureEnclave:
                #if canImport(CryptoKit)
                let secret = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.bytes)
                publicKey = JSONWebKey(.p256, point: Array(secret.publicKey.rawRepresentation))
                sign = { _, hash in try secret.signature(for: hash()).rawRepresentation }
                #else
                throw ProofUnavailable(.keyLost)
                #endif
            }
        } catch {
            throw ProofUnavailable(.keyLost)
        }
        let algorithm = key.kind == .ed25519 ? SignatureAlgorithm.edDSA : .es256
        let text = "{\"alg\":\"\(algorithm)\",\"jwk\":\(publicKey.json),\"typ\":\"dpop+jwt\"}"
        header = Base64URL.encoded(text.utf8) + [UInt8(ascii: ".")]
        var hash = SHA256()
        hash.update(data: header)
        headerHash = hash
    }

    /// Signs a proof for one request. `tokenHash` is what ``hash(of:)`` returns for the request's token.
    func proof(method: String, uri: String, claims: ProofClaims, tokenHash: String?) throws -> String {
        // Bytes, because the interpolation of strings would take longer than all else but the signature.
        var text: [UInt8] = []
        text.reserveCapacity(320)
        text += Part.method
        Self.append(method, to: &text)
        text += Part.target
        Self.append(ProofTarget.text(of: uri), to: &text)
        text += Part.time
        text += String(claims.date.wholeSeconds).utf8
        text += Part.identifier
        let number = count.withLock { count in
            count += 1
            return count
        }
        text += prefix
        text += String(number).utf8
        if let tokenHash {
            text += Part.tokenHash
            text += tokenHash.utf8
        }
        text.append(UInt8(ascii: "\""))
        if let nonce = claims.nonce {
            text += Part.nonce
            Self.append(nonce.text, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        let payload = Base64URL.encoded(text)
        var proof: [UInt8] = []
        proof.reserveCapacity(header.count + payload.count + 87)
        proof += header
        proof += payload
        let signature = try sign(proof) {
            var hash = headerHash
            hash.update(data: payload)
            return hash.finalize()
        }
        proof.append(UInt8(ascii: "."))
        proof += Base64URL.encoded(signature)
        return String(decoding: proof, as: UTF8.self)
    }

    /// What stands between the values of a proof's claims.
    private enum Part {
        static let method = Array("{\"htm\":".utf8)
        static let target = Array(",\"htu\":".utf8)
        static let time = Array(",\"iat\":".utf8)
        static let identifier = Array(",\"jti\":\"".utf8)
        static let tokenHash = Array("\",\"ath\":\"".utf8)
        static let nonce = Array(",\"nonce\":".utf8)
    }

    /// `ath` (RFC 9449 §4.2).
    static func hash(of accessToken: String) -> String { Base64URL.encode(SHA256.hash(data: Array(accessToken.utf8))) }

    /// Appends a text as JSON. Usually there is nothing to escape.
    private static func append(_ text: String, to json: inout [UInt8]) {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        if isPlain {
            json.append(UInt8(ascii: "\""))
            json += text.utf8
            json.append(UInt8(ascii: "\""))
        } else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            json += (try? encoder.encode(text)) ?? Data("\"\"".utf8)
        }
    }
}

extension ProofKey {
    /// A new, unique key.
    ///
    /// - Throws: ``ProofUnavailable`` if there is no Secure Enclave, and the Secure Enclave's errors.
    static func generated(
        _ storage: ProofOfPossession.KeyStorage, _ algorithm: ProofOfPossession.Algorithm = .es256
    ) throws -> ProofKey {
        switch (storage, algorithm) {
        case (.withToken, .es256): return ProofKey(kind: .p256, bytes: P256.Signing.PrivateKey().rawRepresentation)
        case (.withToken, .edDSA):
            return ProofKey(kind: .ed25519, bytes: Curve25519.Signing.PrivateKey().rawRepresentation)
        case (.secureEnclave, .edDSA): throw ProofUnavailable(.otherAlgorithm)
        case (.secureEnclave, .es256):
            #if canImport(CryptoKit)
            guard SecureEnclave.isAvailable else { throw ProofUnavailable(.noSecureEnclave) }
            // By default the key opens with the first unlock, as tokens do. A refresh in the background asks nobody.
            return ProofKey(kind: .secureEnclave, bytes: try SecureEnclave.P256.Signing.PrivateKey().dataRepresentation)
            #else
            throw ProofUnavailable(.noSecureEnclave)
            #endif
        }
    }

    /// The SHA-256 of the public key (RFC 7638), to which servers bind tokens.
    ///
    /// - Throws: ``ProofUnavailable`` if the key is gone.
    package func thumbprint() throws -> String { try ProofSigner(self).publicKey.thumbprint }
}
#endif
