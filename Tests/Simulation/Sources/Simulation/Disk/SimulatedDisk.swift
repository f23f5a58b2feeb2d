// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
@_spi(FileLayer) import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#endif

/// One folder on one disk, with a page cache. `fsync` makes a file or the names of the folder durable.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SimulatedDisk: @unchecked Sendable {
    /// A change of the names that is not durable yet.
    private enum Change {
        case add(String, Inode)
        case replace(String, by: String)
        case remove(String)
    }

    /// The default folder of the library for ``home``.
    static let folder = "\(home)/.local/state/swift-request-authorization"
    static let home = "/srv/ada"
    /// The beginning of the names of the token's files.
    static let stem = "app,ada"

    private let scheduler: Scheduler
    private var folders: Set = ["/", "/srv", SimulatedDisk.home]
    private(set) var folderInode: UInt64 = 1
    private(set) var folderChangedAt: SimulatedTime = 0
    private(set) var names: [String: Inode] = [:]
    private var durableNames: [String: Inode] = [:]
    /// The changes since the folder was made durable, in order.
    private var changes: [Change] = []
    private var lastInode: UInt64 = 1
    private var lastFile: CInt = 10
    private(set) var files: [CInt: (inode: Inode?, process: SimulatedProcess)] = [:]
    private var followers: [Int: (process: SimulatedProcess, handler: @Sendable (String) -> Void)] = [:]
    private var followerCount = 0
    private var generator: Generator
    var isFull = false
    /// Whether the system has notices left to give.
    var hasNotices = true
    /// Called when the item changes.
    var onItem: ((Data?) -> Void)?

    init(_ scheduler: Scheduler, seed: UInt64) {
        self.scheduler = scheduler
        generator = Generator(seed: seed, stream: 2)
    }

    var now: SimulatedTime { scheduler.now }

    // MARK: The folder

    var hasFolder: Bool { hasFolder(Self.folder) }

    func hasFolder(_ path: String) -> Bool { folders.contains(path) }

    func makeFolder(_ path: String) throws {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard hasFolder(parent) else { throw FileError("mkdir", ENOENT) }
        folders.insert(path)
    }

    var item: Data? { names.first { Self.isToken($0.key) }?.value.contents }

    private static func isToken(_ name: String) -> Bool { name.hasPrefix(stem) && name.hasSuffix(".token") }

    // MARK: Files

    func open(_ inode: Inode?, _ process: SimulatedProcess) -> CInt {
        lastFile += 1
        files[lastFile] = (inode, process)
        return lastFile
    }

    func close(_ file: CInt) {
        guard let inode = files.removeValue(forKey: file)?.inode else { return }
        if inode.lockHolder == file { inode.lockHolder = nil }
    }

    /// Closes all files of a process that was killed, which releases their locks.
    func closeAll(of process: SimulatedProcess) {
        for file in files.filter({ $0.value.process === process }).keys.sorted() { close(file) }
        followers = followers.filter { $0.value.process !== process }
    }

    func openCount(of process: SimulatedProcess) -> Int { files.values.count { $0.process === process } }

    func followerCount(of process: SimulatedProcess) -> Int { followers.values.count { $0.process === process } }

    func inode(of file: CInt) throws -> Inode {
        guard let inode = files[file]?.inode else { throw FileError("fstat", EBADF) }
        return inode
    }

    // MARK: Names

    func create(_ name: String) throws -> Inode {
        if isFull { throw FileError("openat", ENOSPC) }
        lastInode += 1
        let inode = Inode(number: lastInode, at: now)
        names[name] = inode
        note(.add(name, inode))
        return inode
    }

    func rename(_ name: String, to newName: String) throws {
        guard let inode = names.removeValue(forKey: name) else { throw FileError("renameat", ENOENT) }
        names[newName]?.links -= 1
        names[newName] = inode
        inode.changedAt = now
        note(.replace(newName, by: name))
        tell(name)
        tell(newName)
        if Self.isToken(newName) { onItem?(inode.contents) }
    }

    func remove(_ name: String) throws {
        guard let inode = names.removeValue(forKey: name) else { throw FileError("unlinkat", ENOENT) }
        inode.links -= 1
        note(.remove(name))
        tell(name)
        if Self.isToken(name) { onItem?(nil) }
    }

    private func note(_ change: Change) {
        folderChangedAt = now
        changes.append(change)
    }

    // MARK: Durability

    func sync(_ file: CInt) throws {
        guard let open = files[file] else { throw FileError("fsync", EBADF) }
        if let inode = open.inode {
            inode.durable = inode.contents
        } else {
            (durableNames, changes) = (names, [])
        }
    }

    /// Keeps what a power failure may leave: the durable state, a part of the later changes, and parts of files.
    func losePower() {
        // Most file systems write the names in order. POSIX promises less: any of them may be missing.
        let isOrdered = generator.chance(70)
        let kept = generator.below(changes.count + 1)
        var survivors = durableNames
        for (index, change) in changes.enumerated() where isOrdered ? index < kept : generator.chance(50) {
            apply(change, to: &survivors)
        }
        names = survivors
        for name in names.keys.sorted() {
            guard let inode = names[name] else { continue }
            inode.contents = inode.survivor(part: generator.pick([0, 2, 30, 70, 100]))
            inode.durable = inode.contents
            (inode.lockHolder, inode.links) = (nil, 1)
        }
        (durableNames, changes) = (names, [])
    }

    private func apply(_ change: Change, to names: inout [String: Inode]) {
        switch change {
        case .add(let name, let inode): names[name] = inode
        case .remove(let name): names[name] = nil
        case .replace(let name, let former): if let inode = names.removeValue(forKey: former) { names[name] = inode }
        }
    }

    // MARK: Notices

    func follow(_ process: SimulatedProcess, _ handler: @escaping @Sendable (String) -> Void) -> Int? {
        guard hasNotices else { return nil }
        followerCount += 1
        followers[followerCount] = (process, handler)
        return followerCount
    }

    func unfollow(_ number: Int) { followers[number] = nil }

    /// Notices of the system come soon, and some time later.
    func tell(_ name: String) {
        for number in followers.keys.sorted() {
            guard let follower = followers[number] else { continue }
            scheduler.after(generator.time(10_000...2_000_000), in: follower.process) { [weak self] in
                guard self?.followers[number] != nil else { return }
                follower.handler(name)
            }
        }
    }
}
