// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

/// The credential that the workers share.
struct StressToken: AuthorizationToken, Codable {
    let accessToken: String
    let refreshToken: String
    let expiresAt: Date

    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}
