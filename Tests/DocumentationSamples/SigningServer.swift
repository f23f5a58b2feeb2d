// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import LoopbackServer

/// Verifies signatures from the bytes on the wire. It shares no code with the signers.
struct SigningServer {
    /// The time, and the greatest difference that a request's time may have.
    let now: Date
    let window: TimeInterval = 300
    /// Secrets by the names of their keys.
    let secrets: [String: String]

    // MARK: - HMACAuthorization

    func acceptsHMAC(_ request: RawRequest) -> Bool {
        guard let match = request["Authorization"]?.wholeMatch(of: /HMAC-SHA256 key=(\w+), code=(\S+)/),
            let secret = secrets[String(match.1)], let time = request["X-Date"],
            let date = try? Date(time, strategy: .iso8601), abs(date.timeIntervalSince(now)) <= window
        else { return false }
        let digest = "sha-256=:\(Data(SHA256.hash(data: request.body)).base64EncodedString()):"
        let message = "\(request.method)\n\(request.path)\n\(request.query)\n\(time)\n\(digest)"
        return digest == request["Content-Digest"]
            && String(match.2) == Data(Self.code(Data(secret.utf8), message)).base64EncodedString()
    }

    // MARK: - SignatureVersion4Authorization

    /// For paths and queries of letters, digits and `%` alone.
    func acceptsVersion4(_ request: RawRequest) -> Bool {
        let form =
            /AWS4-HMAC-SHA256 Credential=(\w+)\/((\d+)\/([\w-]+)\/(\w+)\/aws4_request), SignedHeaders=([\w;-]+), Signature=(\w+)/
        guard let match = request["Authorization"]?.wholeMatch(of: form), let secret = secrets[String(match.1)],
            let time = request["X-Amz-Date"], time.hasPrefix(match.3),
            let date = try? Date(
                time, strategy: Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)),
            abs(date.timeIntervalSince(now)) <= window
        else { return false }
        let fields = match.6.split(separator: ";").map { "\($0):\(request[String($0)] ?? "")\n" }.joined()
        let canonical = """
            \(request.method)
            \(request.path.replacing("%", with: "%25"))
            \(request.query.split(separator: "&").sorted().joined(separator: "&"))
            \(fields)
            \(match.6)
            \(Self.hex(SHA256.hash(data: request.body)))
            """
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(match.2)\n\(Self.hex(SHA256.hash(data: Data(canonical.utf8))))"
        let dayKey = Self.code(Data("AWS4\(secret)".utf8), "\(match.3)")
        let serviceKey = Self.code(Self.code(dayKey, "\(match.4)"), "\(match.5)")
        return match.7 == Self.hex(Self.code(Self.code(serviceKey, "aws4_request"), text))
    }

    private static func code(_ key: Data, _ text: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}

extension RawRequest {
    fileprivate var path: String { String(target.prefix { $0 != "?" }) }
    fileprivate var query: String { String(target.drop { $0 != "?" }.dropFirst()) }
}
#endif
