// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Synchronization

/// The log of a run: a file of JSON lines. Threads can wait for something to appear in it.
final class Journal: Sendable {
    private let file: Int32
    private let clock: ClockPage
    let began: Date
    private let condition = NSCondition()
    private let contents = Mutex(Contents())

    private struct Contents {
        var progress = Progress()
        var count = 0
    }

    /// - Parameter url: a file that does not exist yet.
    init(_ url: URL, clock: ClockPage) throws {
        self.clock = clock
        began = clock.now
        file = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("open \(url.path)") }
    }

    deinit { close(file) }

    /// Seconds since the run began, by the clock page.
    var elapsed: Double { clock.now.timeIntervalSince(began) }

    var progress: Progress { contents.withLock(\.progress) }

    /// Writes a line, then wakes the threads that wait for it.
    ///
    /// - Returns: the number of the line.
    @discardableResult
    func append(_ line: LogLine) throws -> Int {
        let number = try contents.withLock { contents in
            var line = line
            line.number = contents.count
            line.time = elapsed
            try write(try line.json)
            contents.count += 1
            contents.progress.note(line)
            return line.number
        }
        condition.lock()
        condition.broadcast()
        condition.unlock()
        return number
    }

    /// Blocks the thread until the log shows something.
    ///
    /// - Parameter patience: the longest time to wait, in seconds.
    /// - Throws: ``NoProgress``.
    func wait(until what: String, patience: Double = 60, until isMet: (Progress) -> Bool) throws {
        let deadline = Date.now + patience
        condition.lock()
        defer { condition.unlock() }
        while !isMet(progress) {
            guard condition.wait(until: deadline) else {
                if isMet(progress) { return }
                throw NoProgress(what: what, patience: patience)
            }
        }
    }

    // MARK: -

    private func write(_ data: Data) throws {
        let written = data.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
        guard written == data.count else { throw SystemError("write to the log") }
    }
}

/// Something that a run waits for did not happen in time.
struct NoProgress: Error, CustomStringConvertible {
    let what: String
    let patience: Double

    var description: String { "did not happen within \(patience) s: \(what)" }
}
