// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The syntax of a bearer token.
enum BearerToken {
    /// `b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="` (RFC 6750 §2.1).
    static func check(_ token: String) throws(NotAuthorized) {
        if token.isEmpty { throw NotAuthorized(.malformedCredential, detail: "the bearer token is empty") }
        let bytes = Array(token.utf8)
        let padding = bytes.firstIndex { !$0.isToken68Character } ?? bytes.endIndex
        let fault = padding == 0 ? 0 : bytes[padding...].firstIndex { $0 != UInt8(ascii: "=") }
        guard let fault else { return }
        throw NotAuthorized(
            .malformedCredential,
            detail: "the bearer token has \(HeaderFieldValue.name(of: bytes[fault])) at byte \(fault)"
                + ": pass only letters, digits, -._~+/ and trailing =, trimmed and without \"Bearer\"")
    }
}
