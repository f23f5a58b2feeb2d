// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Logging
import RequestAuthorization

/// A log handler that records its lines, and lets a test wait for one.
final class LogRecorder: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata

        /// Everything that a backend would write.
        var text: String { "\(level) \(message) \(metadata)" }
    }

    private struct State {
        var lines: [Line] = []
        var watchers: [(message: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    var lines: [Line] { state.withLock { $0.lines } }

    var logger: Logger {
        var logger = Logger(label: "test") { [self] _ in Handler(recorder: self) }
        logger.logLevel = .trace
        return logger
    }

    /// Returns the last line with a message once there are this many. Its metrics have been recorded then.
    @discardableResult
    func line(_ message: String, count: Int = 1) async -> Line? {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let isThere = state.lines.count { $0.message == message } >= count
                if !isThere { state.watchers.append((message, count, continuation)) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
        return lines.last { $0.message == message }
    }

    fileprivate func add(_ line: Line) {
        let due = state.withLock { state in
            state.lines.append(line)
            let count = state.lines.count { $0.message == line.message }
            let isDue = { (watcher: (message: String, count: Int, continuation: CheckedContinuation<Void, Never>)) in
                watcher.message == line.message && watcher.count <= count
            }
            defer { state.watchers.removeAll(where: isDue) }
            return state.watchers.filter(isDue)
        }
        for watcher in due { watcher.continuation.resume() }
    }
}

private struct Handler: LogHandler {
    let recorder: LogRecorder
    var logLevel: Logger.Level = .trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        recorder.add(LogRecorder.Line(level: event.level, message: "\(event.message)", metadata: all))
    }
}
#endif
