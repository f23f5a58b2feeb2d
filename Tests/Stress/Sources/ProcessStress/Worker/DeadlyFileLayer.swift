// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@_spi(FileLayer) import RequestAuthorizationStorage
import Synchronization

/// The machine's file system, in which the process can die during a save.
final class DeadlyFileLayer: FileLayer {
    private let base = SystemFileLayer()
    private let execution: Execution
    private let save = Mutex(Save())

    /// The progress of a save. Only one runs at a time.
    private struct Save {
        /// The new file, while it is open.
        var file: CInt?
        var isRenamed = false
    }

    /// While this file exists, the disk is full.
    private let fullDisk: String

    init(execution: Execution, fullDisk: URL) {
        self.execution = execution
        self.fullDisk = fullDisk.path
    }

    private func checkSpace() throws { if access(fullDisk, F_OK) == 0 { throw FileError("write", ENOSPC) } }

    // MARK: The steps of a save

    func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt {
        if purpose == .creating { try checkSpace() }
        let file = try base.open(name, in: folder, for: purpose)
        if purpose == .creating, name.hasSuffix(".new") { save.withLock { $0 = Save(file: file) } }
        return file
    }

    func write(_ data: Data, to file: CInt) throws {
        if save.withLock({ $0.file == file }) { try checkSpace() }
        try base.write(data, to: file)
        if save.withLock({ $0.file == file }) { execution.pass(.afterWrite) }
    }

    func rename(_ name: String, to newName: String, in folder: CInt) throws {
        try base.rename(name, to: newName, in: folder)
        save.withLock { $0.isRenamed = true }
        execution.pass(.afterRename)
    }

    func sync(_ file: CInt) throws {
        try base.sync(file)
        let isSaved = save.withLock { save in
            defer { save.isRenamed = false }
            return save.isRenamed
        }
        if isSaved { execution.pass(.afterFolderSync) }
    }

    func close(_ file: CInt) {
        save.withLock { if $0.file == file { $0.file = nil } }
        base.close(file)
    }

    // MARK: Other calls

    func openFolder(_ path: String) throws -> CInt { try base.openFolder(path) }
    func makeFolder(_ path: String) throws { try base.makeFolder(path) }
    func status(ofPath path: String) throws -> FileStatus? { try base.status(ofPath: path) }
    func names(in folder: CInt) throws -> [String] { try base.names(in: folder) }
    func status(of file: CInt) throws -> FileStatus { try base.status(of: file) }
    func status(of name: String, in folder: CInt) throws -> FileStatus? { try base.status(of: name, in: folder) }
    func read(_ file: CInt, atMost limit: Int) throws -> Data { try base.read(file, atMost: limit) }
    func syncData(_ file: CInt) throws { try base.syncData(file) }
    func remove(_ name: String, in folder: CInt) throws { try base.remove(name, in: folder) }
    func lock(_ file: CInt) throws -> Bool { try base.lock(file) }
    func unlock(_ file: CInt) { base.unlock(file) }
    func birth(of folder: CInt) -> FolderBirth? { base.birth(of: folder) }
}
