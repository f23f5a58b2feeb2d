// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
public import RequestAuthorization
import Synchronization

/// The time of day of a run: a page of a file that all its processes map, so that an expiry comes for all of them at once.
///
///     let page = try ClockPage(creating: folder.appending(path: "clock"))      // the parent
///     let page = try ClockPage(opening: folder.appending(path: "clock"))       // everybody else
///     page.advance(by: .seconds(3600))                                         // everybody's tokens have expired
///
/// Only the time of day can be moved: that is what expiry is read from, and nobody sleeps until an expiry. Time-outs and
/// back-off run on ``uptime``, the machine's own clock, so nobody who sleeps has to be told of a move.
///
/// `@unchecked Sendable` is safe: the page is reached through one atomic only, and unmapped when nobody holds this any more.
public final class ClockPage: AuthorizationClock, @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    /// How far the time of day is ahead of the machine's, in nanoseconds.
    private let offset: UnsafeMutablePointer<Atomic<Int>>
    private let start = ContinuousClock.now
    private static let length = 4096

    /// Makes a page; its time is the machine's.
    public convenience init(creating url: URL) throws {
        try self.init(url, flags: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
    }

    /// Maps a page that another process has made.
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
        // All bits zero, as a new file is, are an atomic zero.
        offset = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    }

    deinit { munmap(memory, Self.length) }

    /// Moves the time of day on, for all processes at once.
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
