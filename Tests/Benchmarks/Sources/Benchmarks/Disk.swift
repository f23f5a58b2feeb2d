// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Dispatch
import Foundation

/// A folder on a disk, and the steps that no refresh with a shared file can leave out.
///
/// Each step runs on a queue, because a program may not block the threads of Swift's cooperative pool.
struct Disk {
    private let folder: String
    private let queue = DispatchQueue(label: "Disk")

    init(_ folder: String) { self.folder = folder }

    /// Locks a file, and unlocks it when the returned function is called.
    func lock(_ name: String) async throws -> @Sendable () -> Void {
        let file = try await run { try open(name, O_RDWR | O_CREAT, in: $0) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else { throw BenchmarkError(description: "the lock is held") }
        return { close(file) }
    }

    func read(_ name: String, atMost limit: Int) async throws -> Data {
        try await run { folder in
            let file = try open(name, O_RDONLY, in: folder)
            defer { close(file) }
            var data = Data(count: limit)
            let count = data.withUnsafeMutableBytes { pread(file, $0.baseAddress, limit, 0) }
            return data.prefix(Int(try call("read") { CInt(count) }))
        }
    }

    /// Overwrites a file durably.
    func overwrite(_ name: String, with data: Data) async throws {
        try await run { folder in
            let file = try open(name, O_RDWR | O_CREAT, in: folder)
            defer { close(file) }
            try write(data, to: file)
            _ = try call("fdatasync") { fdatasync(file) }
        }
    }

    /// Writes a new file and puts it in place of another one, durably.
    ///
    /// - Returns: how long the disk took for the file itself.
    func replace(_ new: String, _ name: String, with data: Data) async throws -> Duration {
        try await run { folder in
            let file = try open(new, O_WRONLY | O_CREAT | O_EXCL, in: folder)
            defer { close(file) }
            try write(data, to: file)
            let start = ContinuousClock.now
            _ = try call("fsync") { fsync(file) }
            let duration = ContinuousClock.now - start
            _ = try call("renameat") { renameat(folder, new, folder, name) }
            _ = try call("fsync") { fsync(folder) }
            return duration
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ folder: CInt) throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try inFolder(body) }) }
        }
    }

    private func inFolder<Value>(_ body: (CInt) throws -> Value) throws -> Value {
        let directory = try call("open") { Foundation.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(directory) }
        return try body(directory)
    }

    /// The file system, the device and its kind, as far as the system tells.
    var kind: String {
        guard let mount = mount else { return "unknown disk" }
        return "\(mount.fileSystem) on \(mount.device), \(rotation(of: mount.device))"
    }

    // MARK: -

    /// The entry of `/proc/mounts` with the longest path that contains the folder.
    private var mount: (device: String, fileSystem: String)? {
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        let entries = mounts.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let entry = entries.filter { entry in
            entry.count > 2 && (folder + "/").hasPrefix(entry[1] == "/" ? "/" : entry[1] + "/")
        }.max { $0[1].count < $1[1].count }
        return entry.map { ($0[0], $0[2]) }
    }

    /// The system tells it of whole disks only. A partition has the name of its disk and a number.
    private func rotation(of device: String) -> String {
        var name = Substring(device.split(separator: "/").last ?? "")
        while !name.isEmpty {
            if let text = try? String(contentsOfFile: "/sys/block/\(name)/queue/rotational", encoding: .utf8) {
                return text.hasPrefix("1") ? "rotational" : "not rotational"
            }
            name = name.dropLast()
        }
        return "rotation unknown"
    }
}

private func open(_ name: String, _ flags: CInt, in folder: CInt) throws -> CInt {
    try call("openat") { openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600) }
}

private func write(_ data: Data, to file: CInt) throws {
    _ = try call("write") { CInt(data.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }) }
}

private func call(_ name: String, _ body: () -> CInt) throws -> CInt {
    let result = body()
    if result < 0 { throw BenchmarkError(description: "\(name): \(String(cString: strerror(errno)))") }
    return result
}
