// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The least that a response of any HTTP client must offer, so that a 401 can be seen and understood.
public protocol AuthorizableResponse {
    /// The status code, for instance 401.
    var statusCode: Int { get }

    /// The values of a header field in order, one element a line, names compared without case; empty if there is none.
    func headerValues(for field: String) -> [String]
}

extension AuthorizableResponse {
    /// What the server said, if it refused the credential: `nil` for any other status than 401 (RFC 9110 §15.5.2).
    public var unauthorized: UnauthorizedResponse? {
        guard statusCode == 401 else { return nil }
        return UnauthorizedResponse(
            statusCode: statusCode, fields: ["WWW-Authenticate", "Retry-After", "DPoP-Nonce", "Date"],
            of: headerValues(for:))
    }
}
