// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// Looks at every entry of a store's folder again and again: it must be private from its creation, and tokens must be
/// complete.
///
/// A reader cannot know when a writer is at work. But a file that it has opened under the token's name must always be
/// complete, also if the name is replaced meanwhile. Files with other names are not read as tokens, for instance the
/// incomplete successor. They must be private.
public struct FolderWatch {
    private let folder: URL
    private var report = FolderReport()
    /// Contents that were found complete, so that they are not decoded again.
    private var whole: Set<Data> = []
    private let mostProblems = 20

    public init(_ folder: URL) { self.folder = folder }

    /// Looks at the entries a number of times, or until the run is over.
    ///
    /// - Parameter isOver: called after each listing of the folder.
    public mutating func run(looks: Int, isOver: () -> Bool = { false }) throws -> FolderReport {
        while report.looks < looks, !isOver() {
            guard let directory = opendir(folder.path) else { throw SystemError("open \(folder.path)") }
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != "." && name != ".." { look(at: name, in: dirfd(directory)) }
            }
        }
        return report
    }

    // MARK: -

    private mutating func look(at name: String, in directory: Int32) {
        report.looks += 1
        let file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            // The file was removed after the folder was listed.
            if errno != ENOENT { complain("\(SystemError("open \(name)"))") }
            return
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return complain("\(SystemError("stat \(name)"))") }
        let kind = Self.kind(of: name)
        report.entries[kind, default: 0] += 1
        if status.st_mode != S_IFREG | 0o600 {
            complain("\(kind) has the mode \(String(status.st_mode, radix: 8))")
        }
        if kind == Self.tokenKind, !isWhole(read(file, count: Int(status.st_size))) {
            complain("\(kind) is incomplete")
        }
    }

    private func read(_ file: Int32, count: Int) -> Data {
        var data = Data(count: count)
        let got = data.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
        return data.prefix(max(0, got))
    }

    private mutating func isWhole(_ item: Data) -> Bool {
        if whole.contains(item) { return true }
        guard (try? JSONSerialization.jsonObject(with: item)) is [String: Any] else { return false }
        whole.insert(item)
        return true
    }

    private mutating func complain(_ problem: String) {
        if report.problems.count < mostProblems { report.problems.append(problem) }
    }

    private static let tokenKind = "token"

    /// The kind of a file, derived from its name.
    private static func kind(of name: String) -> String {
        String(name.split(separator: ".").last ?? "")
    }
}
