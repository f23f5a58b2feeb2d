// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
@_spi(FileLayer) @_spi(FileQueue) import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#endif

/// The file calls of a process on the simulated disk. Between two calls other processes may run, and this one may be killed.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SimulatedFiles: NotifyingFileLayer, @unchecked Sendable {
    private let disk: SimulatedDisk
    private let scheduler: Scheduler
    private let ledger: Ledger
    private let process: SimulatedProcess
    /// Whether notices have the names of files, as on Linux.
    private let namesFiles: Bool
    private var generator: Generator
    /// Called when the process makes an intent durable or replaces a file.
    var onWrite: ((SimulatedProcess) -> Void)?

    init(
        _ disk: SimulatedDisk, _ scheduler: Scheduler, _ ledger: Ledger, _ process: SimulatedProcess, namesFiles: Bool,
        seed: UInt64
    ) {
        (self.disk, self.scheduler, self.ledger, self.process) = (disk, scheduler, ledger, process)
        self.namesFiles = namesFiles
        generator = Generator(seed: seed, stream: 100 + UInt64(process.number))
    }

    func makeQueue(_ label: String) -> (any FileQueue)? { SimulatedQueue(scheduler, process) }

    func follow(_ folder: CInt, _ handler: @escaping @Sendable (String?) -> Void) -> (@Sendable () -> Void)? {
        guard let number = disk.follow(process, { [namesFiles] in handler(namesFiles ? $0 : nil) }) else { return nil }
        return { [disk] in disk.unfollow(number) }
    }

    // MARK: Folders

    func openFolder(_ path: String) throws -> CInt {
        try enter("open")
        guard path == SimulatedDisk.folder, disk.hasFolder else { throw FileError("open", ENOENT) }
        return disk.open(nil, process)
    }

    func makeFolder(_ path: String) throws {
        try enter("mkdir")
        try disk.makeFolder(path)
    }

    func status(ofPath path: String) throws -> FileStatus? {
        try enter("stat")
        return disk.hasFolder(path) ? folderStatus : nil
    }

    func names(in folder: CInt) throws -> [String] {
        try enter("readdir")
        return disk.names.keys.sorted()
    }

    func birth(of folder: CInt) -> FolderBirth? { FolderBirth(device: 1, inode: disk.folderInode, bornAt: 1) }

    // MARK: Files

    func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt {
        try enter("openat", "\(name) for \(purpose)")
        switch (purpose, disk.names[name]) {
        case (.creating, .some): throw FileError("openat", EEXIST)
        case (.creating, nil), (.locking, nil): return disk.open(try disk.create(name), process)
        case (_, .some(let inode)): return disk.open(inode, process)
        case (_, nil): throw FileError("openat", ENOENT)
        }
    }

    func close(_ file: CInt) { if process.isAlive { disk.close(file) } }

    func status(of file: CInt) throws -> FileStatus {
        guard let open = disk.files[file] else { throw FileError("fstat", EBADF) }
        return open.inode.map(status) ?? folderStatus
    }

    func status(of name: String, in folder: CInt) throws -> FileStatus? {
        try enter("fstatat", name)
        return disk.names[name].map(status)
    }

    func read(_ file: CInt, atMost limit: Int) throws -> Data {
        try enter("read")
        return try disk.inode(of: file).contents.prefix(limit)
    }

    func write(_ data: Data, to file: CInt) throws {
        try enter("write")
        let inode = try disk.inode(of: file)
        if disk.isFull, data.count > inode.contents.count { throw FileError("write", ENOSPC) }
        inode.contents = data + inode.contents.dropFirst(data.count)
        (inode.modifiedAt, inode.changedAt) = (disk.now, disk.now)
    }

    func sync(_ file: CInt) throws {
        try enter("fsync")
        try disk.sync(file)
    }

    func syncData(_ file: CInt) throws {
        try sync(file)
        onWrite?(process)
    }

    func rename(_ name: String, to newName: String, in folder: CInt) throws {
        try enter("renameat", "\(name) to \(newName)")
        try disk.rename(name, to: newName)
        onWrite?(process)
    }

    func remove(_ name: String, in folder: CInt) throws {
        try enter("unlinkat", name)
        try disk.remove(name)
    }

    func lock(_ file: CInt) throws -> Bool {
        try enter("flock")
        let inode = try disk.inode(of: file)
        guard inode.lockHolder == nil || inode.lockHolder == file else { return false }
        inode.lockHolder = file
        return true
    }

    func unlock(_ file: CInt) {
        guard process.isAlive, let inode = disk.files[file]?.inode else { return }
        if inode.lockHolder == file { inode.lockHolder = nil }
        inode.changedAt = disk.now
        if let name = disk.names.first(where: { $0.value === inode })?.key { disk.tell(name) }
    }

    // MARK: -

    /// Lets other processes run before a call, and kills this one if it is time.
    private func enter(_ call: String, _ name: String = "") throws {
        guard process.isAlive else { throw FileError(call, EIO) }
        ledger.remark(process, "\(call) \(name)")
        process.countStep()
        guard process.isAlive else { throw FileError(call, EIO) }
        // Pausing at each call would cost more than it finds.
        guard process.stoppedUntil > disk.now || generator.chance(25) else { return }
        let pause = generator.chance(5) ? generator.time(1_000_000...20_000_000) : generator.time(10_000...500_000)
        SimulatedQueue.running?.wait(pause)
        if !process.isAlive { throw FileError(call, EIO) }
    }

    private func status(_ inode: Inode) -> FileStatus {
        FileStatus(
            device: 1, inode: inode.number, mode: S_IFREG | 0o600, owner: geteuid(), links: inode.links,
            size: Int64(inode.contents.count), modifiedAt: inode.modifiedAt, changedAt: inode.changedAt)
    }

    private var folderStatus: FileStatus {
        FileStatus(
            device: 1, inode: disk.folderInode, mode: S_IFDIR | 0o700, owner: geteuid(), links: 2, size: 4096,
            modifiedAt: disk.folderChangedAt, changedAt: disk.folderChangedAt)
    }
}
