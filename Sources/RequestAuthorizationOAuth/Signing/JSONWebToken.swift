// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Makes JWTs in the compact form (RFC 7515 §7.1, RFC 7519).
enum JSONWebToken {
    /// Signs claims, which are sent sorted by name. `type` is the `typ` of the header.
    static func signed(
        _ claims: [String: JSONValue], type: String, by signer: any TokenSigner
    ) async throws -> String {
        var header: [String: JSONValue] = ["alg": .string(signer.algorithm.name), "typ": .string(type)]
        header["kid"] = signer.keyID.map { .string($0) }
        let message = "\(try encode(header)).\(try encode(claims))"
        return "\(message).\(Base64URL.encode(try await signer.sign(Array(message.utf8))))"
    }

    /// Whether a text has the parts of a signed JWT: a header and claims that are JSON objects, and a signature.
    static func isWhole(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, Base64URL.decode(String(parts[2]))?.isEmpty == false else { return false }
        return parts.prefix(2).allSatisfy { part in
            Base64URL.decode(String(part)).flatMap { JSONMembers($0) }?.form == .whole
        }
    }

    /// A unique identifier: 128 random bits.
    static func makeIdentifier() -> String {
        var generator = SystemRandomNumberGenerator()
        // Two calls of the system instead of sixteen.
        return unsafe withUnsafeBytes(of: (generator.next() as UInt64, generator.next() as UInt64)) {
            unsafe Base64URL.encode($0)
        }
    }

    private static func encode(_ members: [String: JSONValue]) throws -> String {
        Base64URL.encode(try JSONEncoder.sorted.encode(members))
    }
}
