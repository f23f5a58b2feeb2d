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

/// Waits for a socket, blocking the thread.
enum Readiness {
    /// - Returns: whether there is something to read, or the connection has ended.
    static func isReadable(_ socket: CInt, within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let milliseconds = max(.zero, end - .now) / .milliseconds(1)
            let count = poll(&entry, 1, CInt(min(milliseconds.rounded(.up), 1e9)))
            if count != -1 || errno != EINTR { return count != 0 }
        }
    }
}
#endif
