// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a response of any HTTP client needs so that a refused credential is noticed and understood.
public protocol AuthorizableResponse {
    /// The status code, for instance 401.
    var statusCode: Int { get }

    /// The values of a header field in order, one element for each line; empty if there is none.
    ///
    /// Names are compared without case.
    func headerValues(for field: String) -> [String]
}

extension AuthorizableResponse {
    /// The answer if the server refused the credential: a 401 (RFC 9110 §15.5.2), or a 403 whose challenge asks for
    /// another scope (RFC 6750 §3.1) or a stronger log-in. `nil` for any other answer.
    public var unauthorized: UnauthorizedResponse? {
        guard statusCode == 401 || statusCode == 403 else { return nil }
        let refusal = UnauthorizedResponse(
            statusCode: statusCode, fields: UnauthorizedResponse.fieldNames,
            of: headerValues(for:))
        return statusCode == 401 || refusal.challenges.contains { $0.requiresInteraction } ? refusal : nil
    }
}
