// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The members of a JWK, including private ones, checked on reading.
struct JWKObject: RedactedDescription {
    private let members: [String: JSONValue]

    init(_ json: Data) throws(SigningKeyError) {
        guard let key = try? AnswerObject(TokenResponse(statusCode: 200, body: Array(json))), key.isWhole,
            key.damaged.isEmpty
        else {
            let isPEM = String(decoding: json, as: UTF8.self).contains("-----BEGIN")
            throw SigningKeyError(.notJWK, detail: isPEM ? "the text is PEM; pass it as pem" : nil)
        }
        // RFC 7517 §4: another reader could take the other value.
        guard key.repeated.isEmpty else {
            throw SigningKeyError(.malformed, detail: "a member is there twice; use a JWK that has each member once")
        }
        guard case .string = key.members["kty"] else { throw SigningKeyError(.notJWK) }
        members = key.members
    }

    func optionalText(_ name: String) -> String? { if case .string(let text) = members[name] { text } else { nil } }

    func text(_ name: String) throws(SigningKeyError) -> String {
        guard let text = optionalText(name), !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains(where: { "\"\\".contains($0) })
        else {
            throw SigningKeyError(.malformed, detail: "its member \(name) is missing or invalid; use a complete JWK")
        }
        return text
    }

    /// The bytes of a member in Base64URL (RFC 7518 §6).
    func bytes(_ name: String) throws(SigningKeyError) -> [UInt8] {
        guard let bytes = Base64URL.decode(try text(name)), !bytes.isEmpty else {
            throw SigningKeyError(
                .malformed, detail: "its member \(name) is not Base64URL without padding; use a complete JWK")
        }
        return bytes
    }
}

extension JWKObject {
    /// Refuses a key that is not for signatures (RFC 7517 §4.2, §4.3).
    fileprivate func checkUse() throws(SigningKeyError) {
        if optionalText("use") == "enc" {
            throw SigningKeyError(.otherUse, detail: "its member use says enc, encryption; take a key whose use is sig")
        }
        guard let operations = members["key_ops"], operations != .null else { return }
        guard let names = operations.texts ?? operations.text.map({ [$0] }) else {
            throw SigningKeyError(.malformed, detail: "its member key_ops is not a list of texts; use a complete JWK")
        }
        guard names.contains("sign") else {
            throw SigningKeyError(.otherUse, detail: "its member key_ops does not list sign; take a key that may sign")
        }
    }
}

extension PrivateKeyParts {
    /// Reads a JWK (RFC 7518 §6, RFC 8037 §2).
    init(_ key: JWKObject) throws(SigningKeyError) {
        let kind = (try key.text("kty"), key.optionalText("crv"))
        guard key.optionalText("d") != nil else {
            throw SigningKeyError(["EC", "OKP", "RSA"].contains(kind.0) ? .notPrivate : .unsupported)
        }
        try key.checkUse()
        switch kind {
        case ("EC", let name):
            guard let curve = name.flatMap(EllipticCurve.init(rawValue:)) else { throw SigningKeyError(.unsupported) }
            let point = try [4] + curve.number(key.bytes("x")) + curve.number(key.bytes("y"))
            self = .elliptic(curve, curve.number(try key.bytes("d")), publicKeys: [point])
        case ("OKP", "Ed25519"): self = .ed25519(try key.bytes("d"), publicKeys: [try key.bytes("x")])
        case ("RSA", _):
            var numbers: [[UInt8]] = []
            for name in RSANumbers.names { numbers.append(Array(try key.bytes(name).drop { $0 == 0 })) }
            self = .rsa(try RSANumbers(numbers))
        default: throw SigningKeyError(.unsupported)
        }
    }
}
