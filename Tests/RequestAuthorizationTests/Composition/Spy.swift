// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Records its calls; checks nothing.
@MainActor final class Spy {
    private(set) var log: [String] = []
}

extension Spy: AuthorizationProvider {
    @MainActor func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        log.append("authorize \(request.origin?.description ?? "nowhere")")
        return request
    }

    @MainActor func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        let schemes = response.challenges.map(\.scheme).joined(separator: ", ")
        log.append("refused \(request.origin?.description ?? "nowhere"): \(schemes)")
    }

    @MainActor func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        log.append("refused \(request.origin?.description ?? "nowhere")")
    }
}
