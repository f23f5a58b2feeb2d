// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
public import HTTPTypes
public import RequestAuthorization

/// A response of swift-http-types says whether it is a 401, and what would be accepted.
extension HTTPResponse: AuthorizableResponse {
    public var statusCode: Int { status.code }

    public func headerValues(for field: String) -> [String] {
        HTTPField.Name(field).map { headerFields[values: $0] } ?? []
    }
}
#endif
