// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// Looks at every entry of a store's folder again and again: are all of them private from birth, is what can be read whole?
///
/// A reader cannot know when a writer is at work. What it can know: a file that it has opened under the token's name must be
/// whole to its last byte, whatever happens to the name meanwhile. Files under other names, which nobody reads as a token, the
/// half-written successor among them, must be private.
public struct FolderWatch {
    private let folder: URL
    private var report = FolderReport()
    /// What was found to be whole, so that it is not decoded a thousand times.
    private var whole: Set<Data> = []
    private let mostProblems = 20

    public init(_ folder: URL) { self.folder = folder }

    /// Looks so many times at an entry, or until it is told that there is nothing more to see.
    ///
    /// - Parameter isOver: asked after each reading of the folder.
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
            // It has gone since the folder was read.
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
            complain("\(kind) is not whole")
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

    /// What a file is, told from its name.
    private static func kind(of name: String) -> String {
        String(name.split(separator: ".").last ?? "")
    }
}
