// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
/// Gives providers the status and the challenge fields of a response of async-http-client.
extension HTTPClientResponse: AuthorizableResponse {
    public var statusCode: Int { Int(status.code) }

    public func headerValues(for field: String) -> [String] { headers[field] }
}
#endif
