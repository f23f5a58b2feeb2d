// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
internal import CPostgreSQL
import Dispatch

/// Listens on a connection and a thread of its own.
struct LibPQListener: Sendable {
    let parameters: ConnectionParameters
    /// The time without a notification after which the connection is checked.
    var silence = Duration.seconds(30)

    /// - Returns: the payloads, once it listens. Ending the iteration ends the connection.
    func payloads(of channel: String) async throws -> AsyncThrowingStream<String, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        let socket = OpenSocket()
        continuation.onTermination = { _ in socket.shutDown() }
        try await withUnsafeThrowingContinuation { (begun: UnsafeContinuation<Void, any Error>) in
            DispatchQueue(label: "RequestAuthorizationPostgreSQL.listener").async {
                do {
                    let handle = try parameters.connected()
                    defer {
                        socket.release()
                        PQfinish(handle)
                    }
                    try socket.open(PQsocket(handle))
                    // Without the quotes capitals would be another name.
                    let name = channel.replacing("\"", with: "\"\"")
                    _ = try answer(to: "LISTEN \"\(name)\"", on: handle)
                    begun.resume()
                    continuation.finish(throwing: listen(on: handle, continuation))
                } catch {
                    begun.resume(throwing: error)
                }
            }
        }
        return stream
    }

    // MARK: - On the thread

    private func answer(to statement: String, on handle: OpaquePointer) throws -> [[String?]] {
        try LibPQStatement(handle: handle, cancellation: .init(), end: .now + .seconds(5)).run(statement, []).get()
    }

    /// - Returns: why the connection ended.
    private func listen(
        on handle: OpaquePointer, _ payloads: AsyncThrowingStream<String, any Error>.Continuation
    ) -> any Error {
        do {
            while true {
                while let notice = PQnotifies(handle) {
                    payloads.yield(String(cString: notice.pointee.extra))
                    PQfreemem(notice)
                }
                if !Readiness.isReadable(PQsocket(handle), within: silence) {
                    _ = try answer(to: "SELECT 1", on: handle)
                } else if PQconsumeInput(handle) != 1 {
                    throw PostgreSQLError(.connectionLost)
                }
            }
        } catch {
            return error
        }
    }
}
#endif
