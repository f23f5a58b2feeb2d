// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Reads a file that another program may replace at any moment.
enum AssertionFile {
    /// The waits between three tries, 150 ms together. A writer needs less.
    private static let pauses: [Duration] = [.milliseconds(50), .milliseconds(100)]

    static func text(
        at path: String, format: AssertionFormat, clock: any AuthorizationClock
    ) async throws -> String {
        var pauses = pauses[...]
        while true {
            do {
                return try format.text(in: try await contents(of: path), from: path)
            } catch let error as WorkloadIdentityError where error.problem == .unfinished {
                guard let pause = pauses.popFirst() else { throw error }
                try await clock.sleep(for: pause)
            }
        }
    }

    /// Opens the file once, follows links, and reads all of it. It never waits for the writer of a pipe.
    @concurrent
    private static func contents(of path: String) async throws -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw error(errno, path) }
        defer { close(file) }
        let before = try status(of: file, path)
        guard before.st_mode & S_IFMT == S_IFREG else { throw WorkloadIdentityError(.notAFile, source: path) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error(errno, path) }
            if count == 0 { break }
            bytes += part.prefix(count)
            guard bytes.count <= AssertionFormat.longest else {
                throw WorkloadIdentityError(.tooLong, source: path)
            }
        }
        let after = try status(of: file, path)
        // It was changed in place while it was read.
        guard before.isSame(as: after), Int(after.st_size) == bytes.count else {
            throw WorkloadIdentityError(.unfinished, source: path)
        }
        return bytes
    }

    private static func status(of file: CInt, _ path: String) throws -> stat {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw error(errno, path) }
        return status
    }

    private static func error(_ code: CInt, _ path: String) -> WorkloadIdentityError {
        switch code {
        case ENOENT, ENOTDIR: WorkloadIdentityError(.missing, source: path, kind: .transient)
        case EACCES, EPERM: WorkloadIdentityError(.unreadable, source: path, detail: "error \(code) of the system")
        default:
            WorkloadIdentityError(.unreadable, source: path, kind: .transient, detail: "error \(code) of the system")
        }
    }
}

extension stat {
    fileprivate func isSame(as other: stat) -> Bool {
        #if canImport(Darwin)
        let (time, otherTime) = (st_mtimespec, other.st_mtimespec)
        #else
        let (time, otherTime) = (st_mtim, other.st_mtim)
        #endif
        return st_size == other.st_size && time.tv_sec == otherTime.tv_sec && time.tv_nsec == otherTime.tv_nsec
    }
}
