// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
public import RequestAuthorization
import Synchronization

/// The time of day of a run, in a page of a file that all its processes map. So a token expires for all of them at
/// once.
///
///     let page = try ClockPage(creating: folder.appending(path: "clock"))      // the parent
///     let page = try ClockPage(opening: folder.appending(path: "clock"))       // the workers
///     page.advance(by: .seconds(3600))                                         // all tokens have expired
///
/// Only the time of day can be moved. Expiry is read from it, and no process sleeps until an expiry. Time-outs and
/// back-off use ``uptime``, the machine's own clock, so a move does not need to wake sleeping processes.
///
/// `@unchecked Sendable` is safe: the page is accessed only through one atomic, and unmapped with the last reference.
public final class ClockPage: AuthorizationClock, @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    /// The difference between this time of day and the machine's, in nanoseconds.
    private let offset: UnsafeMutablePointer<Atomic<Int>>
    private let start = ContinuousClock.now
    private static let length = 4096

    /// Creates a page with the machine's time.
    public convenience init(creating url: URL) throws {
        try self.init(url, flags: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
    }

    /// Maps a page that another process has created.
    public convenience init(opening url: URL) throws {
        try self.init(url, flags: O_RDWR | O_CLOEXEC)
    }

    private init(_ url: URL, flags: Int32) throws {
        let file = open(url.path, flags, 0o600)
        guard file >= 0 else { throw SystemError("open \(url.path)") }
        defer { close(file) }
        guard ftruncate(file, off_t(Self.length)) == 0 else { throw SystemError("ftruncate \(url.path)") }
        let protection = PROT_READ | PROT_WRITE
        guard let memory = mmap(nil, Self.length, protection, MAP_SHARED, file, 0), memory != MAP_FAILED else {
            throw SystemError("mmap \(url.path)")
        }
        self.memory = memory
        // A new file is all zero bits, which is a valid atomic zero.
        offset = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    }

    deinit { munmap(memory, Self.length) }

    /// Advances the time of day for all processes at once.
    public func advance(by duration: Duration) {
        let nanoseconds = Int(duration / .nanoseconds(1))
        offset.pointee.add(nanoseconds, ordering: .sequentiallyConsistent)
    }

    public var now: Date {
        Date.now + Double(offset.pointee.load(ordering: .sequentiallyConsistent)) / 1e9
    }

    public var uptime: Duration { ContinuousClock.now - start }

    public func sleep(for duration: Duration) async throws { try await ContinuousClock().sleep(for: duration) }
}
