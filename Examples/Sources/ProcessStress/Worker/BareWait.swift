// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What the machine itself makes of many processes that wait for one another: a bare `flock`, and under it what a refresh
/// costs at least.
///
/// The first one of a round makes a small file durable, calls the server, and makes another one durable; all others read.
struct BareWait: Sendable {
    let folder: URL
    let client: LoopbackClient

    /// Waits for its turn, and takes it.
    ///
    /// - Parameter round: a number that is new.
    /// - Returns: how long it waited.
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

    /// Blocks a thread of its own.
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

    /// Writes a file under another name, gives it the name, and makes that durable.
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
