// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
public import AsyncHTTPClient
import NIOHTTP1
public import RequestAuthorization

/// A response of async-http-client says whether it is a 401, and what would be accepted.
extension HTTPClientResponse: AuthorizableResponse {
    public var statusCode: Int { Int(status.code) }

    public func headerValues(for field: String) -> [String] { headers[field] }
}
#endif
