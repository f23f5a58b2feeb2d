// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationURLSession
import Synchronization

/// Sets `Bearer 0`, and after each 401 it is told of the next number.
final class CountingProvider: AuthorizationProvider {
    let refusals = Mutex(0)
    let field: String
    let mostRefusals: Int

    init(field: String = "Authorization", mostRefusals: Int = .max) {
        self.field = field
        self.mostRefusals = mostRefusals
    }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential("Bearer \(refusals.withLock { $0 })", in: field)
        return request
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        let count = refusals.withLock { count in
            count += 1
            return count
        }
        if count > mostRefusals { throw NotAuthorized(.notRefreshable) }
    }
}
#endif
