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

// sample: aws
/// Signs requests in the shape of AWS's Signature Version 4.
struct SignatureVersion4Authorization: AuthorizationProvider {
    typealias Credentials = (accessKeyID: String, secretAccessKey: String, sessionToken: String?)

    let region: String
    let service: String
    /// Fields to sign beside those that are set here, where a request has them: name each `X-Amz-` field of yours.
    var fields = ["Content-Type"]
    var clock: any AuthorizationClock = .system
    let credentials: @Sendable () async throws -> Credentials  // a closure: prints no secret

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let parts = try SignedParts(of: request)
        let givenDigest = request.credential(in: "X-Amz-Content-Sha256")
        guard let digest = request.bodyBytes.map({ SHA256.hash(data: $0).hex }) ?? givenDigest else {
            throw NotAuthorized(.notSignable, detail: "the body is not in memory: set its X-Amz-Content-Sha256")
        }
        let credentials = try await credentials()
        let time = clock.now.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))

        var added = ["X-Amz-Date": time]
        added["X-Amz-Security-Token"] = credentials.sessionToken
        if service == "s3" || givenDigest != nil { added["X-Amz-Content-Sha256"] = digest }

        let signed = signedFields(of: request, adding: added, to: parts.host)
        let names = signed.map(\.name).joined(separator: ";")
        let path = service == "s3" ? parts.path : parts.path.percentEncoded(keeping: "/")  // S3 encodes once
        let lines = signed.map { "\($0.name):\($0.value)" }
        let canonical = [parts.method, path, Self.canonicalQuery(parts.query)] + lines + ["", names, digest]
        let scope = [String(time.prefix(8)), region, service, "aws4_request"]
        let text = [
            "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"),
            SHA256.hash(data: Data(canonical.joined(separator: "\n").utf8)).hex,
        ]
        let key = scope.reduce(Data("AWS4\(credentials.secretAccessKey)".utf8)) { Self.code(for: $1, with: $0) }
        added["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(text[2]), SignedHeaders=\(names), "
            + "Signature=\(Self.code(for: text.joined(separator: "\n"), with: key).hex)"
        return try Credential(added, isForOneRequest: true)
    }

    private func signedFields(
        of request: some AuthorizableRequest, adding added: [String: String], to host: String
    ) -> [(name: String, value: String)] {
        let ours = ["X-Amz-Content-Sha256", "X-Amz-Date", "X-Amz-Security-Token"]
        let values = (ours + fields).compactMap { name in
            (added[name] ?? request.credential(in: name))
                .map { (name.lowercased(), $0.split(separator: " ").joined(separator: " ")) }
        }
        return (values + [("host", host)]).sorted { $0.0 < $1.0 }
    }

    private static func canonicalQuery(_ query: String) -> String {
        let items = query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                ($0.removingPercentEncoding ?? String($0)).percentEncoded()
            }
            return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return items.sorted { ($0.name, $0.value) < ($1.name, $1.value) }.map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    private static func code(for text: String, with key: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }
}

extension Sequence<UInt8> {
    fileprivate var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension String {
    /// Encodes all characters but the unreserved ones (RFC 3986 §2.3).
    fileprivate func percentEncoded(keeping kept: String = "") -> String {
        utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isKept = byte < 0x80 && (character.isLetter || character.isNumber || "-._~\(kept)".contains(character))
            return isKept ? String(character) : "%\([byte].hex.uppercased())"
        }.joined()
    }
}
// end sample
#endif
