// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a constant bearer token (RFC 6750 §2.1).
///
///     try await request.authorize(using: .bearer("ABC"))
///
/// A token with characters other than letters, digits, `-._~+/` and trailing `=` is never sent. If a server issues such
/// tokens, write `.header("Authorization", "Bearer …")`: that accepts any value that a header field can hold.
public struct BearerTokenAuthorization: AuthorizationProvider, SynchronousAuthorization, RedactedDescription {
    private let credential: ConstantCredential

    /// Creates a provider of one token.
    ///
    /// - Parameter token: the token without `Bearer`. It is checked here, and ``authorize(_:)`` throws the error.
    public init(token: String) {
        credential = ConstantCredential { () throws(NotAuthorized) in
            try Self.check(token)
            return "Bearer \(token)"
        }
    }

    /// Returns the request with `Authorization: Bearer` and the token.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if the token is
    ///   malformed, ``NotAuthorized/Reason/insecureTransport`` if the request is not encrypted.
    public func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        try credential.set(on: &request)
        return request
    }

    package func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        try credential.set(on: &request)
        return true
    }
}

extension AuthorizationProvider where Self == BearerTokenAuthorization {
    /// A constant bearer token.
    public static func bearer(_ token: String) -> BearerTokenAuthorization { BearerTokenAuthorization(token: token) }
}

// MARK: - Syntax

extension BearerTokenAuthorization {
    /// `b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="` (RFC 6750 §2.1).
    private static func check(_ token: String) throws(NotAuthorized) {
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
