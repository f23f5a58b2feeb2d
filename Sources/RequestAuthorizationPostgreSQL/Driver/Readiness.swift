// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits for descriptors. Blocks the thread.
enum Readiness {
    /// Whether this process can open one more file or socket.
    static var hasFreeDescriptor: Bool {
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if file >= 0 { close(file) }
        return file >= 0 || ![EMFILE, ENFILE].contains(errno)
    }

    /// - Returns: whether the socket has data to read, or the connection has ended.
    static func isReadable(_ socket: CInt, within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let milliseconds = max(.zero, end - .now) / .milliseconds(1)
            let count = poll(&entry, 1, CInt(min(milliseconds.rounded(.up), 1e9)))
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}

/// A socket that another thread may shut down, which wakes the thread that waits for it.
///
/// It has a descriptor of its own. libpq closes its own when the connection ends, and another file may get that number.
final class OpenSocket: Sendable {
    private let state = Lock<(own: CInt?, isOver: Bool)>((nil, false))

    deinit { release() }

    func open(_ socket: CInt) throws {
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw PostgreSQLError(.tooManyFiles) }
        let isOver = state.withLock { state in
            state.own = own
            return state.isOver
        }
        if isOver { shutDown() }
    }

    func release() {
        state.withLock { state in
            if let own = state.own { close(own) }
            state.own = nil
        }
    }

    func shutDown() {
        state.withLock { state in
            state.isOver = true
            if let own = state.own { shutdown(own, CInt(SHUT_RDWR)) }
        }
    }
}
#endif
