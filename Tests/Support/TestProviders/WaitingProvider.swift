// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Waits for ever, either for a credential or after a 401, and yields an element when it begins.
package struct WaitingProvider: AuthorizationProvider {
    package let waiting: AsyncStream<Void>
    private let waitsToAuthorize: Bool
    private let hasBegun: AsyncStream<Void>.Continuation

    package init(waitsToAuthorize: Bool) {
        self.waitsToAuthorize = waitsToAuthorize
        (waiting, hasBegun) = AsyncStream.makeStream()
    }

    package func credential(for request: some AuthorizableRequest) async throws -> Credential {
        if waitsToAuthorize { try await wait() }
        return try .bearer("waiting") { _ in
            try await wait()
            return .anew
        }
    }

    private func wait() async throws {
        hasBegun.yield()
        let never = AsyncStream<Void>.makeStream()
        for await _ in never.stream {}
        never.continuation.finish()
        try Task.checkCancellation()
    }
}
