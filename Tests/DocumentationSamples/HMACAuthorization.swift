// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import RequestAuthorization

// sample: hmac
/// Signs method, path, query, time and body with a key that client and server share.
struct HMACAuthorization: AuthorizationProvider {
    var clock: any AuthorizationClock = .system
    let key: @Sendable () async throws -> (id: String, secret: SymmetricKey)  // a closure: prints no key

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let parts = try SignedParts(of: request)
        // Only the caller can know the digest of a body that is not in memory.
        guard let digest = request.bodyBytes.map(Self.digest) ?? request.credential(in: "Content-Digest") else {
            throw NotAuthorized(.notSignable, detail: "the body is not in memory: set its Content-Digest")
        }
        let (id, secret) = try await key()
        let time = clock.now.formatted(.iso8601)
        let message = [parts.method, parts.path, parts.query, time, digest].joined(separator: "\n")
        let code = Self.code(for: Array(message.utf8), with: secret)

        return try Credential(
            [
                "Content-Digest": digest, "X-Date": time,
                "Authorization": "HMAC-SHA256 key=\(id), code=\(Data(code).base64EncodedString())",
            ], isForOneRequest: true, receipt: Receipt(id: id, key: key))
    }

    /// A retry helps if the key has been replaced since.
    private struct Receipt: CredentialReceipt {
        let id: String
        let key: @Sendable () async throws -> (id: String, secret: SymmetricKey)

        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
            try await key().id == id ? .accept : .anew
        }
    }

    /// RFC 9530.
    static func digest(of body: [UInt8]) -> String {
        "sha-256=:\(Data(SHA256.hash(data: body)).base64EncodedString()):"
    }

    /// RFC 2104.
    static func code(for message: [UInt8], with key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }
}
// end sample
#endif
