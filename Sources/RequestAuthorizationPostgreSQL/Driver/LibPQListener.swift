// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
internal import CPostgreSQL
import Dispatch

/// A connection that only listens, on a serial queue of its own.
///
/// `@unchecked Sendable` is safe: `handle` is used on the serial `queue` only, and in `deinit` without other
/// references.
final class LibPQListener: @unchecked Sendable {
    private let parameters: ConnectionParameters
    private let queue = DispatchQueue(label: "RequestAuthorizationPostgreSQL.listener")
    private let wake: WakePipe
    private let silence: Duration
    private var handle: OpaquePointer?

    /// - Parameter silence: the time without a notification after which the connection is checked.
    init(_ parameters: ConnectionParameters, silence: Duration = .seconds(30)) throws {
        (self.parameters, self.silence) = (parameters, silence)
        wake = try WakePipe()
    }

    deinit { PQfinish(handle) }

    /// - Returns: the payloads, once it listens.
    func payloads(of channel: String) async throws -> AsyncThrowingStream<String, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        continuation.onTermination = { [wake] _ in wake.signal() }
        try await withUnsafeThrowingContinuation { (begun: UnsafeContinuation<Void, any Error>) in
            queue.async { [self] in
                do {
                    let handle = try connect(to: channel)
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

    private func connect(to channel: String) throws -> OpaquePointer {
        let handle = try parameters.connected()
        self.handle = handle
        _ = try answer(to: "LISTEN \(channel)", on: handle)
        return handle
    }

    private func answer(to statement: String, on handle: OpaquePointer) throws -> [[String?]] {
        try LibPQStatement(handle, StatementCancellation(), .seconds(5)).run(statement, []).get()
    }

    /// - Returns: the error that ended it, or `nil` if the iteration of the payloads has ended.
    private func listen(
        on handle: OpaquePointer, _ payloads: AsyncThrowingStream<String, any Error>.Continuation
    ) -> (any Error)? {
        defer {
            PQfinish(handle)
            self.handle = nil
        }
        do {
            while true {
                while let notice = PQnotifies(handle) {
                    payloads.yield(String(cString: notice.pointee.extra))
                    PQfreemem(notice)
                }
                switch Readiness.first(of: PQsocket(handle), wake.descriptor, within: silence) {
                case .second: return nil
                case .first: guard PQconsumeInput(handle) == 1 else { throw PostgreSQLError(.connectionLost) }
                case nil: _ = try answer(to: "SELECT 1", on: handle)
                }
            }
        } catch {
            return error
        }
    }
}
#endif
