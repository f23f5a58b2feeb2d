// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorization

/// Sets `Bearer 0`, and after each 401 that it is told of the next number.
final class CountingProvider: AuthorizationProvider {
    private let count = Lock(0)

    /// How many 401s it was told of.
    var refusals: Int { count.withLock { $0 } }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential("Bearer \(refusals)", in: "Authorization")
        return request
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        count.withLock { $0 += 1 }
    }
}

/// Sets whatever it is given, unchecked.
struct UncheckedProvider: AuthorizationProvider {
    let field: String
    let value: String

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential(value, in: field)
        return request
    }
}

/// The network of a token service is down.
struct Offline: Error {}
#endif
