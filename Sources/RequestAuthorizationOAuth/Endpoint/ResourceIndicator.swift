// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Names the APIs that a token is for (RFC 8707 §2).
enum ResourceIndicator {
    /// The parameters that name resources.
    ///
    /// - Throws: `InvalidTokenRequest` if a resource is not an absolute URI, or has a fragment.
    static func parameters(_ resources: [String]) throws -> [(name: String, value: String)] {
        for resource in resources {
            guard !resource.utf8.contains(UInt8(ascii: "#")) else {
                throw InvalidTokenRequest(
                    parameter: "resource", detail: "has a fragment: remove the # and all after it (RFC 8707 §2)")
            }
            guard isAbsoluteURI(resource) else {
                throw InvalidTokenRequest(
                    parameter: "resource",
                    detail: "is not an absolute URI: add its scheme, as in https://api.example.com (RFC 8707 §2)")
            }
        }
        return resources.map { (name: "resource", value: $0) }
    }

    /// Whether a text is a scheme, a colon, and more characters of URIs (RFC 3986 §4.3).
    private static func isAbsoluteURI(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count,
            bytes[0].isASCIILetter,
            bytes[..<colon].allSatisfy({ $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) })
        else { return false }
        return bytes.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    }
}
