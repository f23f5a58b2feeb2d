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
