// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The least that a response of any HTTP client must offer, so that a refusal can be seen and understood.
public protocol AuthorizableResponse {
    /// The status code, for instance 401.
    var statusCode: Int { get }

    /// The values of a header field in order, one element a line, names compared without case; empty if there is none.
    func headerValues(for field: String) -> [String]
}

extension AuthorizableResponse {
    /// What the server said, if it refused the credential: with a 401 (RFC 9110 §15.5.2), or with a 403 whose challenge asks for
    /// another scope (RFC 6750 §3.1) or a stronger log-in; `nil` for anything else.
    public var unauthorized: UnauthorizedResponse? {
        guard statusCode == 401 || statusCode == 403 else { return nil }
        let refusal = UnauthorizedResponse(
            statusCode: statusCode, fields: ["WWW-Authenticate", "Retry-After", "DPoP-Nonce", "Date"],
            of: headerValues(for:))
        return statusCode == 401 || refusal.challenges.contains { $0.requiresInteraction } ? refusal : nil
    }
}
