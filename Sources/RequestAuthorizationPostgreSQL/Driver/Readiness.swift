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
    enum Which { case first, second }

    /// - Returns: whether the socket has data to read, or the connection has ended.
    static func isReadable(_ socket: CInt, within limit: Duration) -> Bool {
        first(of: socket, -1, within: limit) != nil
    }

    /// - Parameter second: a descriptor, or -1 for none.
    /// - Returns: the descriptor that has data to read, the second if both have; `nil` if the time is over.
    static func first(of first: CInt, _ second: CInt, within limit: Duration) -> Which? {
        let end = ContinuousClock.now + limit
        var entries = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let milliseconds = max(.zero, end - .now) / .milliseconds(1)
            let count = poll(&entries, 2, CInt(min(milliseconds.rounded(.up), 1e9)))
            if count > 0 { return entries[1].revents != 0 ? .second : .first }
            if count == 0 || errno != EINTR { return nil }
        }
    }
}

/// A pipe that wakes a thread in `poll`.
final class WakePipe: Sendable {
    /// The reading end. It has data after the first signal.
    let descriptor: CInt
    private let writer: CInt

    /// - Throws: ``PostgreSQLError`` if the process has too many open files.
    init() throws {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PostgreSQLError(.unreachable) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    func signal() {
        var byte: UInt8 = 0
        _ = write(writer, &byte, 1)
    }
}
#endif
