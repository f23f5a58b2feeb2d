// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
internal import CPostgreSQL
import Dispatch

/// Cancels a statement at the server, from any thread.
///
/// `PQcancel` makes another connection and blocks until the server answers, so it runs on a queue of its own.
final class StatementCancellation: Sendable {
    /// The argument of `PQcancel` is there while the statement runs.
    private let state = Lock<(isCancelled: Bool, request: CancelRequest?)>((false, nil))

    /// Begins the statement, or returns `false` if it was cancelled before.
    func begin(_ handle: OpaquePointer) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.request = CancelRequest(handle)
            return true
        }
    }

    func cancel() {
        let request = state.withLock { state in
            state.isCancelled = true
            defer { state.request = nil }
            return state.request
        }
        if let request { Self.send(request) }
    }

    /// Ends the statement, and returns whether it was cancelled.
    func end() -> Bool {
        state.withLock { state in
            state.request = nil
            return state.isCancelled
        }
    }

    // MARK: -

    /// Sends a request, unless 16 are under way already.
    ///
    /// Each takes a thread until the server has answered, and a server that hangs must not take all threads of this
    /// process. The connection is closed in any case.
    private static func send(_ request: CancelRequest) {
        let isAllowed = underWay.withLock { count in
            guard count < 16 else { return false }
            count += 1
            return true
        }
        guard isAllowed else { return }
        queue.async {
            request.send()
            underWay.withLock { $0 -= 1 }
        }
    }

    private static let underWay = Lock(0)
    private static let queue = DispatchQueue(label: "RequestAuthorizationPostgreSQL.cancel", attributes: .concurrent)
}

/// `@unchecked Sendable` is safe: the object never changes, libpq lets any thread use it, and `deinit` runs once.
private final class CancelRequest: @unchecked Sendable {
    private let cancel: OpaquePointer?

    init(_ handle: OpaquePointer) { cancel = PQgetCancel(handle) }

    deinit { PQfreeCancel(cancel) }

    func send() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(cancel, &message, Int32(message.count))
    }
}
#endif
