// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
@_spi(FileLayer) import RequestAuthorizationStorage

/// A call of a ``FileLayer``.
struct FileCall: Hashable, Sendable {
    /// The function, without its labels: `write`, `sync`, `rename`.
    let function: String
    /// The name of the file, its new one in a `rename`; `.` for a folder.
    let name: String
}

/// A file layer with a function before and one after each call. Either may throw, block, or end the process.
final class ObservedFileLayer: FileLayer {
    private let base: any FileLayer
    private let before: @Sendable (FileCall) throws -> Void
    private let after: @Sendable (FileCall) throws -> Void
    let hasDataProtection: Bool
    let keepsFiles: Bool
    private let hasBirths: Bool
    /// The open files by number.
    private let names = Lock<[CInt: String]>([:])

    init(
        _ base: any FileLayer = SystemFileLayer(), hasDataProtection: Bool = false, hasBirths: Bool = true,
        keepsFiles: Bool = true,
        before: @escaping @Sendable (FileCall) throws -> Void = { _ in },
        after: @escaping @Sendable (FileCall) throws -> Void = { _ in }
    ) {
        (self.base, self.hasDataProtection, self.hasBirths) = (base, hasDataProtection, hasBirths)
        (self.before, self.after, self.keepsFiles) = (before, after, keepsFiles)
    }

    func openFolder(_ path: String) throws -> CInt {
        try opening("openFolder", ".") { try base.openFolder(path) }
    }
    func makeFolder(_ path: String) throws { try call("makeFolder", ".") { try base.makeFolder(path) } }
    func status(ofPath path: String) throws -> FileStatus? { try base.status(ofPath: path) }
    func names(in folder: CInt) throws -> [String] { try base.names(in: folder) }

    func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt {
        try opening(purpose == .creating ? "create" : "open", name) { try base.open(name, in: folder, for: purpose) }
    }
    func close(_ file: CInt) {
        names.withLock { $0[file] = nil }
        base.close(file)
    }
    func status(of file: CInt) throws -> FileStatus { try base.status(of: file) }
    func status(of name: String, in folder: CInt) throws -> FileStatus? {
        try call("status", name) { try base.status(of: name, in: folder) }
    }

    func read(_ file: CInt, atMost limit: Int) throws -> Data {
        try call("read", file) { try base.read(file, atMost: limit) }
    }
    func write(_ data: Data, to file: CInt) throws { try call("write", file) { try base.write(data, to: file) } }
    func sync(_ file: CInt) throws { try call("sync", file) { try base.sync(file) } }
    func syncData(_ file: CInt) throws { try call("syncData", file) { try base.syncData(file) } }

    func rename(_ name: String, to newName: String, in folder: CInt) throws {
        try call("rename", newName) { try base.rename(name, to: newName, in: folder) }
    }
    func remove(_ name: String, in folder: CInt) throws {
        try call("remove", name) { try base.remove(name, in: folder) }
    }
    func lock(_ file: CInt) throws -> Bool { try call("lock", file) { try base.lock(file) } }
    func unlock(_ file: CInt) { base.unlock(file) }
    func birth(of folder: CInt) -> FolderBirth? { hasBirths ? base.birth(of: folder) : nil }
    func protect(_ path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try? call("protect", name) { base.protect(path) }
    }

    // MARK: -

    private func call<Result>(_ function: String, _ name: String, _ body: () throws -> Result) throws -> Result {
        let call = FileCall(function: function, name: name)
        try before(call)
        let result = try body()
        try after(call)
        return result
    }

    private func call<Result>(_ function: String, _ file: CInt, _ body: () throws -> Result) throws -> Result {
        try call(function, names.withLock { $0[file] } ?? "?", body)
    }

    private func opening(_ function: String, _ name: String, _ body: () throws -> CInt) throws -> CInt {
        try call(function, name) {
            let file = try body()
            names.withLock { $0[file] = name }
            return file
        }
    }
}
