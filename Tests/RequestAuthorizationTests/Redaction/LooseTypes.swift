// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationTesting

/// A user's token as in the documentation.
struct CarefulToken: AuthorizationToken, Hashable, Codable {
    var accessToken = Secret.text
    var refreshToken = Secret.text
    var expiresAt = Date.distantFuture

    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}

/// A user's token that prints itself.
struct LooseToken: AuthorizationToken, Hashable {
    var accessToken = Secret.text

    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
    var description: String { accessToken }
    var debugDescription: String { accessToken }
    var customMirror: Mirror { Mirror(self, children: ["accessToken": accessToken]) }
}

/// A token service's error that prints too much.
struct LooseError: Error, CustomStringConvertible {
    let description = "the refresh token \(Secret.text) was refused"
}

/// A third-party provider that prints its contents.
struct LooseAuthorization: AuthorizationProvider {
    var key = Secret.text

    func credential(for request: some AuthorizableRequest) async throws -> Credential { .none }
}

/// A service that keeps a password and fetches tokens that print themselves.
struct LooseService: RefreshableTokenService {
    var password = Secret.text

    func refresh(_ token: LooseToken) async throws -> LooseToken { throw LooseError() }
    func initialToken() async throws -> LooseToken { LooseToken() }
}
