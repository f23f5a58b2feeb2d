// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// An app whose default isolation is the main actor. `.ci/check-consumers` copies it out of the checkout, builds and runs it.
// prints: Bearer a' 1

import RequestAuthorizationURLSession

struct AppToken: AuthorizationToken {
    let value: String
    nonisolated var authorizationHeaderValue: String { "Bearer \(value)" }
}

final class AppTokenService {
    var calls = 0
}

extension AppTokenService: RefreshableTokenService {
    @MainActor func refresh(_ token: AppToken) async throws -> AppToken {
        calls += 1
        return AppToken(value: token.value + "'")
    }
}

let service = AppTokenService()
let token = try await service.refresh(AppToken(value: "a"))
print(token.authorizationHeaderValue, service.calls)
