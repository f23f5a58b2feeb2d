// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A response of no particular client.
struct FakeResponse: AuthorizableResponse, Equatable {
    var statusCode = 200
    var fields: [String: [String]] = [:]

    static func unauthorized(_ challenges: String...) -> FakeResponse {
        FakeResponse(statusCode: 401, fields: ["www-authenticate": challenges])
    }

    func headerValues(for field: String) -> [String] { fields[field.lowercased()] ?? [] }
}
