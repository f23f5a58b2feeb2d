// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Runs tasks one after the other, in the order of the calls.
package final class SerialTasks: Sendable {
    private let last = Lock<Task<Void, Never>?>(nil)

    package init() {}

    /// Runs the body after all earlier ones have ended. Cancelling the caller cancels the body.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
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
