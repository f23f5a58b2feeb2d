// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Lets one after the other do what must not be interleaved.
package final class Turns: Sendable {
    private let last = Lock<Task<Void, Never>?>(nil)

    package init() {}

    /// Does something after all that came before it; cancelling the caller cancels it.
    package func next<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let turn = last.withLock { last in
            let previous = last
            let turn = Task {
                await previous?.value
                return try await body()
            }
            last = Task { _ = await turn.result }
            return turn
        }
        return try await withTaskCancellationHandler {
            try await turn.value
        } onCancel: {
            turn.cancel()
        }
    }
}
