// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Sets any fields without a check, records each 401, and refuses a retry.
package final class LooseProvider: AuthorizationProvider {
    package let fields: [String: String]
    package let refusals = Lock<[UnauthorizedResponse]>([])

    package init(_ fields: [String: String] = [:]) { self.fields = fields }

    package func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        for (field, value) in fields { request.setCredential(value, in: field) }
        return request
    }

    package func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        refusals.withLock { $0.append(response) }
        throw NotAuthorized(.notRefreshable)
    }
}
