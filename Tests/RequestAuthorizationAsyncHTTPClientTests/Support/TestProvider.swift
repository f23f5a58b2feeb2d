// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationAsyncHTTPClient

/// Sets `Bearer 0`, and after each 401 it is told of the next number.
final class CountingProvider: AuthorizationProvider {
    let refusals = Lock(0)
    let field: String

    init(field: String = "Authorization") { self.field = field }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential("Bearer \(refusals.withLock { $0 })", in: field)
        return request
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        refusals.withLock { $0 += 1 }
    }
}

/// Sets several fields at once, around `setCredential` if told so.
struct FieldsProvider: AuthorizationProvider {
    let fields: [String: String]
    var writesAround = false

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        if writesAround, var own = request as? HTTPClientRequest {
            for (field, value) in fields { own.headers.replaceOrAdd(name: field, value: value) }
            return own as? Request ?? request
        }
        for (field, value) in fields { request.setCredential(value, in: field) }
        return request
    }
}

/// Waits for ever, either to authorize or after a 401, and says when it has begun to.
struct WaitingProvider: AuthorizationProvider {
    let waitsToAuthorize: Bool
    let waiting: AsyncStream<Void>
    private let hasBegun: AsyncStream<Void>.Continuation

    init(waitsToAuthorize: Bool) {
        self.waitsToAuthorize = waitsToAuthorize
        (waiting, hasBegun) = AsyncStream.makeStream()
    }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        if waitsToAuthorize { try await wait() }
        return request
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        try await wait()
    }

    private func wait() async throws {
        hasBegun.yield()
        let never = AsyncStream<Void>.makeStream()
        for await _ in never.stream {}
        never.continuation.finish()
        try Task.checkCancellation()
    }
}
#endif
