// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
public import HTTPTypes
public import RequestAuthorization

/// Gives providers the status and the challenge fields of a response of swift-http-types.
extension HTTPResponse: AuthorizableResponse {
    public var statusCode: Int { status.code }

    public func headerValues(for field: String) -> [String] {
        HTTPField.Name(field).map { headerFields[values: $0] } ?? []
    }
}
#endif
