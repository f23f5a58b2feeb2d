// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Waits for ever, either in `authorize` or after a 401, and yields an element when it begins.
package struct WaitingProvider: AuthorizationProvider {
    package let waiting: AsyncStream<Void>
    private let waitsToAuthorize: Bool
    private let hasBegun: AsyncStream<Void>.Continuation

    package init(waitsToAuthorize: Bool) {
        self.waitsToAuthorize = waitsToAuthorize
        (waiting, hasBegun) = AsyncStream.makeStream()
    }

    package func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        if waitsToAuthorize { try await wait() }
        return request
    }

    package func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
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
