// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
internal import CPostgreSQL
import Dispatch

/// A connection, which runs its statements on a serial queue of its own.
///
/// `@unchecked Sendable` is safe: `handle` is used on the serial `queue` only, and in `deinit` without other
/// references.
final class LibPQConnection: @unchecked Sendable {
    private let parameters: ConnectionParameters
    private let queue = DispatchQueue(label: "RequestAuthorizationPostgreSQL.connection")
    private var handle: OpaquePointer?

    init(_ parameters: ConnectionParameters) { self.parameters = parameters }

    deinit { PQfinish(handle) }

    /// Runs a statement, and connects first if necessary.
    ///
    /// - Throws: ``PostgreSQLError``; `CancellationError` on cancellation. The server may have run the statement.
    func run(_ statement: String, parameters: [String?], within limit: Duration) async throws -> [[String?]] {
        let cancellation = StatementCancellation()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(with: Result { try run(statement, parameters, within: limit, cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    // MARK: - On the thread

    private func run(
        _ statement: String, _ parameters: [String?], within limit: Duration, _ cancellation: StatementCancellation
    ) throws -> [[String?]] {
        let handle = try connected()
        guard cancellation.begin(handle) else { throw CancellationError() }
        var isWhole = false
        defer {
            // A late cancellation must not reach the next statement, so the connection is closed.
            if cancellation.end() || !isWhole { close() }
        }
        do {
            let answer = try LibPQStatement(handle, cancellation, limit).run(statement, parameters)
            isWhole = true
            return try answer.get()
        } catch let error as PostgreSQLError {
            throw cancellation.isCancelled && error.code != .timedOut ? CancellationError() : error
        }
    }

    private func connected() throws -> OpaquePointer {
        if let handle, isAlive(handle) { return handle }
        close()
        let new = try parameters.connected()
        handle = new
        return new
    }

    /// Whether an idle connection is still open.
    ///
    /// A readable idle connection is taken for closed: a server that shuts down sends a message and closes soon after,
    /// and sends little else unasked.
    private func isAlive(_ handle: OpaquePointer) -> Bool {
        PQstatus(handle) == CONNECTION_OK && !Readiness.isReadable(PQsocket(handle), within: .zero)
    }

    private func close() {
        PQfinish(handle)
        handle = nil
    }
}
#endif
