// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Sets `Bearer 0`, and after each 401 that it is told of the next number.
package final class CountingProvider: AuthorizationProvider {
    private let count = Lock(0)

    package init() {}

    /// How many 401s it was told of.
    package var refusals: Int { count.withLock { $0 } }

    package func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential("Bearer \(refusals)", in: "Authorization")
        return request
    }

    package func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        count.withLock { $0 += 1 }
    }
}
