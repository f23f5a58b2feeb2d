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
    fileprivate enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        #if canImport(CryptoKit)
        case secureEnclave(SecureEnclave.P256.Signing.PrivateKey)
        #endif
    }

    private let key: Key
    let publicKey: JSONWebKey
    /// The encoded header of each proof, with the dot that follows it.
    private let header: [UInt8]
    private let identifiers = ProofIdentifiers()

    /// - Throws: ``ProofUnavailable`` if the key is gone.
    init(_ key: ProofKey) throws {
        do {
            switch key.kind {
            case .p256: self.key = .p256(try P256.Signing.PrivateKey(rawRepresentation: key.bytes))
            case .secureEnclave:
                #if canImport(CryptoKit)
                self.key = .secureEnclave(try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.bytes))
                #else
                throw ProofUnavailable(.keyLost)
                #endif
            }
        } catch {
            throw ProofUnavailable(.keyLost)
        }
        publicKey = JSONWebKey(p256: self.key.point)
        let members = publicKey.members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
        let text = "{\"alg\":\"ES256\",\"jwk\":{\(members.joined(separator: ","))},\"typ\":\"dpop+jwt\"}"
        header = Array(Base64URL.encode(text.utf8).utf8) + [UInt8(ascii: ".")]
    }

    /// Signs a proof for one request. `tokenHash` is the `ath` of a request with a token.
    func proof(method: String, uri: String, claims: ProofClaims, tokenHash: String?) throws -> String {
        // Bytes, because the interpolation of strings would take longer than all else but the signature.
        var text: [UInt8] = []
        text.reserveCapacity(320)
        text += "{\"htm\":".utf8
        Self.append(method, to: &text)
        text += ",\"htu\":".utf8
        Self.append(ProofTarget.text(of: uri), to: &text)
        text += ",\"iat\":".utf8
        text += String(Int64(claims.date.timeIntervalSince1970)).utf8
        text += ",\"jti\":\"".utf8
        text += identifiers.next().utf8
        text += "\"".utf8
        if let tokenHash {
            text += ",\"ath\":".utf8
            Self.append(tokenHash, to: &text)
        }
        if let nonce = claims.nonce {
            text += ",\"nonce\":".utf8
            Self.append(nonce.text, to: &text)
        }
        text += "}".utf8
        var proof = header
        proof += Base64URL.encoded(text)
        let signature = try key.signature(of: proof)
        proof.append(UInt8(ascii: "."))
        proof += Base64URL.encoded(signature)
        return String(decoding: proof, as: UTF8.self)
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

extension ProofSigner.Key {
    fileprivate var point: [UInt8] {
        switch self {
        case .p256(let key): Array(key.publicKey.rawRepresentation)
        #if canImport(CryptoKit)
        case .secureEnclave(let key): Array(key.publicKey.rawRepresentation)
        #endif
        }
    }

    fileprivate func signature(of message: [UInt8]) throws -> Data {
        switch self {
        case .p256(let key): try key.signature(for: message).rawRepresentation
        #if canImport(CryptoKit)
        case .secureEnclave(let key): try key.signature(for: message).rawRepresentation
        #endif
        }
    }
}

extension ProofKey {
    /// A new, unique key.
    ///
    /// - Throws: ``ProofUnavailable`` if there is no Secure Enclave, and the Secure Enclave's errors.
    static func generated(_ storage: ProofOfPossession.KeyStorage) throws -> ProofKey {
        switch storage {
        case .withToken: return ProofKey(kind: .p256, bytes: P256.Signing.PrivateKey().rawRepresentation)
        case .secureEnclave:
            #if canImport(CryptoKit)
            guard SecureEnclave.isAvailable else { throw ProofUnavailable(.noSecureEnclave) }
            // With the default access control, a refresh in the background does not ask the user.
            return ProofKey(kind: .secureEnclave, bytes: try SecureEnclave.P256.Signing.PrivateKey().dataRepresentation)
            #else
            throw ProofUnavailable(.noSecureEnclave)
            #endif
        }
    }

    /// The SHA-256 of the public key (RFC 7638), to which servers bind tokens.
    ///
    /// - Throws: ``ProofUnavailable`` if the key is gone.
    public func thumbprint() throws -> String { try ProofSigner(self).publicKey.thumbprint }
}

/// Makes a different `jti` for each proof (RFC 9449 §4.2): 128 random bits, which are unique, and a number.
///
/// New random bits for each proof would take a twentieth of the time of its signature.
private final class ProofIdentifiers: Sendable {
    private let prefix = JSONWebToken.makeIdentifier()
    private let count = Lock(0)

    func next() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(prefix).\(number)"
    }
}
#endif
