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
    /// - Throws: ``PostgreSQLError``, also after a cancellation; `CancellationError` if it was not begun.
    func run(_ statement: String, parameters: [String?], until end: ContinuousClock.Instant)
        async throws -> [[String?]]
    {
        let cancellation = StatementCancellation()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(with: Result { try run(statement, parameters, until: end, cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    // MARK: - On the thread

    private func run(
        _ statement: String, _ parameters: [String?], until end: ContinuousClock.Instant,
        _ cancellation: StatementCancellation
    ) throws -> [[String?]] {
        do {
            return try runOnce(statement, parameters, until: end, cancellation)
        } catch let error as PostgreSQLError where error.sqlState == "25006" {
            // The server only reads since it was connected to, and ran nothing. Another host of the connection string
            // may write.
            return try runOnce(statement, parameters, until: end, cancellation)
        }
    }

    private func runOnce(
        _ statement: String, _ parameters: [String?], until end: ContinuousClock.Instant,
        _ cancellation: StatementCancellation
    ) throws -> [[String?]] {
        let handle = try connected()
        // Connecting took too long. The next statement uses the connection.
        guard end > .now else { throw PostgreSQLError(.timedOut) }
        guard cancellation.begin(handle) else { throw CancellationError() }
        var isUsable = false
        defer {
            // A late cancellation must not reach the next statement, so the connection is closed.
            if cancellation.end() || !isUsable { close() }
        }
        let answer = try LibPQStatement(handle: handle, cancellation: cancellation, end: end).run(statement, parameters)
        if case .failure(let error) = answer { isUsable = !error.endsConnection } else { isUsable = true }
        return try answer.get()
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

extension PostgreSQLError {
    /// Whether the connection that brought this error is of no use any more, although it is open.
    ///
    /// The server only reads (25006), shuts down or has ended the session (57P0x), or a pooler has lost it (class 08).
    fileprivate var endsConnection: Bool {
        guard let sqlState else { return false }
        return sqlState == "25006" || sqlState.hasPrefix("57P0") || sqlState.hasPrefix("08")
    }
}
#endif
