// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Foundation

/// A folder on a disk, and the minimal steps that make a file durable there.
struct Disk {
    private let folder: String

    init(_ folder: String) throws { self.folder = folder }

    /// Writes a new file and puts it in place of another one, durably.
    ///
    /// - Returns: how long the disk took for the file itself.
    func replace(_ new: String, _ name: String, with data: Data) throws -> Duration {
        let directory = try call("open") { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(directory) }
        let file = try call("openat") {
            openat(directory, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        defer { close(file) }
        _ = try call("write") { Int32(data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }) }
        let start = ContinuousClock.now
        _ = try call("fsync") { fsync(file) }
        let duration = ContinuousClock.now - start
        _ = try call("renameat") { renameat(directory, new, directory, name) }
        _ = try call("fsync") { fsync(directory) }
        return duration
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

    private func call(_ name: String, _ body: () -> Int32) throws -> Int32 {
        let result = body()
        if result < 0 { throw BenchmarkError(description: "\(name): \(String(cString: strerror(errno)))") }
        return result
    }
}
