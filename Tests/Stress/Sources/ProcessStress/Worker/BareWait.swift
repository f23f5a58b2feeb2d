// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Measures how long many processes wait for one another with a bare `flock`, and with the least work that a refresh
/// needs.
///
/// The first process of a round saves a small file durably, calls the server, and saves another one. All others read
/// it.
struct BareWait: Sendable {
    let folder: URL
    let client: LoopbackClient

    /// Waits for the lock, and does the work.
    ///
    /// - Parameter round: a new number.
    /// - Returns: the time that it waited.
    func take(round: Int) async throws -> Duration {
        let began = ContinuousClock.now
        let lock = try await lock()
        let waited = ContinuousClock.now - began
        defer { lock.close() }
        let (intent, token) = (folder.appending(path: "control.intent"), folder.appending(path: "control.token"))
        if (try? String(contentsOf: token, encoding: .utf8)) == "\(round)" { return waited }
        try Self.save("\(round)", to: intent)
        _ = try await client.send("/ping")
        try Self.save("\(round)", to: token)
        return waited
    }

    // MARK: -

    /// Blocks its own thread.
    private func lock() async throws -> FileDescriptor {
        let path = folder.appending(path: "control.lock").path
        return try await withCheckedThrowingContinuation { continuation in
            Thread {
                let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
                let isLocked = number >= 0 && flock(number, LOCK_EX) == 0
                continuation.resume(
                    with: isLocked ? .success(FileDescriptor(number)) : .failure(SystemError("lock \(path)")))
            }.start()
        }
    }

    /// Writes a temporary file, renames it, and makes that durable.
    private static func save(_ text: String, to url: URL) throws {
        let new = url.appendingPathExtension("new").path
        let file = FileDescriptor(open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
        let folder = FileDescriptor(open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        let bytes = Array(text.utf8)
        guard write(file.number, bytes, bytes.count) == bytes.count, fsync(file.number) == 0,
            rename(new, url.path) == 0, fsync(folder.number) == 0
        else { throw SystemError("save \(url.path)") }
    }
}
