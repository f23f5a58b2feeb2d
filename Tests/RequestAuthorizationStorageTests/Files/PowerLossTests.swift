// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@_spi(FileLayer) @testable import RequestAuthorizationStorage

/// Unsynced writes may be lost. At every moment of a save, and however much of it the disk has written, a whole token
/// is read.
@Suite struct PowerLossTests {
    @Test func `a power failure during a save leaves the old or the new token`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let disk = try RecordedDisk(startingFrom: folder)
        try await folder.store(on: disk).save(.make(2))
        var seen: Set<Int> = []
        for disaster in disk.disasters() {
            let after = try TemporaryFolder()
            try disaster.leave(in: after)
            let stored = try await after.store().load()
            #expect([.make(1), .make(2)].contains(stored), "\(disaster)")
            if let stored { seen.insert(stored.version.generation) }
            #expect(!after.names.contains { $0.hasSuffix(".new") })
            if disaster.isAfterEnd { #expect(stored == .make(2)) }
        }
        #expect(seen == [1, 2])
    }

    @Test func `a power failure during a first save leaves the token or nothing`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().lock(within: .seconds(10)).unlock()
        let disk = try RecordedDisk(startingFrom: folder)
        try await folder.store(on: disk).save(.make(1))
        for disaster in disk.disasters() {
            let after = try TemporaryFolder()
            try disaster.leave(in: after)
            let stored = try await after.store().load()
            #expect(stored == nil && !disaster.isAfterEnd || stored == .make(1), "\(disaster)")
            #expect(try await after.store().openIntent() == nil || stored == nil)
        }
    }

    @Test func `a power failure during the write of an intent leaves it, nothing, or an open intent`()
        async throws
    {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let disk = try RecordedDisk(startingFrom: folder)
        let intent = RefreshIntent(session: TokenVersion.test(1).session, generation: 1, beganAt: .now)
        try await folder.store(on: disk).setIntent(intent)
        for disaster in disk.disasters() {
            let after = try TemporaryFolder()
            try disaster.leave(in: after)
            let open = try await after.store().openIntent()
            #expect(open == nil || (open?.session, open?.generation) == (intent.session, 1), "\(disaster)")
            if disaster.isAfterEnd { #expect(open != nil) }
            #expect(try await after.store().load() == .make(1))
        }
    }

    @Test func `an intent is never there without the token that it is for`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let disk = try RecordedDisk(startingFrom: folder)
        // A process saves a token, and is killed after the rename.
        let killed = folder.store(
            on: ObservedFileLayer(
                disk,
                before: { if $0.function == "sync", $0.name == "." { throw FileError("fsync", EIO) } }))
        await #expect(throws: TokenStoreError.self) { try await killed.save(.make(2)) }
        let intent = RefreshIntent(session: TokenVersion.test(2).session, generation: 2, beganAt: .now)
        try await folder.store(on: disk).setIntent(intent)
        var seen = 0
        for disaster in disk.disasters() {
            let after = try TemporaryFolder()
            try disaster.leave(in: after)
            guard try await after.store().openIntent()?.generation == 2 else { continue }
            seen += 1
            #expect(try await after.store().load() == .make(2), "\(disaster)")
        }
        #expect(seen > 0)
    }

    @Test func `an intent makes the name of another process's token durable, and its own not again`() async throws {
        let folder = try TemporaryFolder()
        let syncs = Lock(0)
        let own = folder.store(
            on: ObservedFileLayer(
                SystemFileLayer(),
                before: { if $0.function == "sync", $0.name == "." { syncs.withLock { $0 += 1 } } }))
        func syncsOfIntent(for token: StoredToken<TestToken>) async throws -> Int {
            _ = syncs.exchange(0)
            try await own.setIntent(RefreshIntent(session: token.version.session, generation: 0, beganAt: .now))
            return syncs.withLock { $0 }
        }
        try await own.save(.make(1))
        #expect(try await syncsOfIntent(for: .make(1)) == 0)
        try await folder.store().save(.make(2))
        #expect(try await syncsOfIntent(for: .make(2)) == 1)
        #expect(try await syncsOfIntent(for: .make(2)) == 0)
        // The same contents in the same file, but changed since: by a tool that restores files, for instance.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.tokens + "/client,me.token")
        #expect(try await syncsOfIntent(for: .make(2)) == 1)
    }
}

/// A file layer that records its calls, to find the states that a power failure may leave.
private final class RecordedDisk: FileLayer {
    enum Step: CustomStringConvertible {
        case create(String, UInt64)
        case write(UInt64, Data)
        case sync(UInt64)
        case rename(String, String)
        case remove(String)
        case syncFolder

        var description: String {
            switch self {
            case .create(let name, _): "create \(name)"
            case .write: "write"
            case .sync: "sync"
            case .rename(_, let name): "rename to \(name)"
            case .remove(let name): "remove \(name)"
            case .syncFolder: "sync the folder"
            }
        }
    }

    private let system = SystemFileLayer()
    private let steps = Lock<[Step]>([])
    private let folders = Lock<Set<CInt>>([])
    private let start: (names: [String: UInt64], contents: [UInt64: Data])

    init(startingFrom folder: TemporaryFolder) throws {
        var start: (names: [String: UInt64], contents: [UInt64: Data]) = ([:], [:])
        for name in folder.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            let inode = try #require(attributes[.systemFileNumber] as? NSNumber).uint64Value
            start.names[name] = inode
            start.contents[inode] = folder.content(of: name)
        }
        self.start = start
    }

    /// The states that a failure after each step may leave.
    func disasters() -> [Disaster] {
        let steps = steps.withLock { $0 }
        return (0...steps.count).flatMap { count in
            disasters(after: Array(steps[..<count]), isAfterEnd: count == steps.count)
        }
    }

    private func disasters(after steps: [Step], isAfterEnd: Bool) -> [Disaster] {
        var (synced, written) = (start.contents, start.contents)
        /// The names after the last sync of the folder, and after each later step.
        var names = [start.names]
        for step in steps {
            var now = names[names.count - 1]
            switch step {
            case .create(let name, let inode):
                now[name] = inode
                (synced[inode], written[inode]) = (Data(), Data())
            case .write(let inode, let data):
                let old = written[inode] ?? Data()
                written[inode] = data + old.dropFirst(data.count)
            case .sync(let inode): synced[inode] = written[inode]
            case .rename(let name, let newName): now[newName] = now.removeValue(forKey: name)
            case .remove(let name): now[name] = nil
            case .syncFolder: names = [now]
            }
            names.append(now)
        }
        return names.flatMap { names in
            [0, 0.02, 0.3, 0.7, 1].map { part in
                var contents: [String: Data] = [:]
                for (name, inode) in names {
                    let (old, new) = (synced[inode] ?? Data(), written[inode] ?? Data())
                    let count = Int(Double(new.count) * part)
                    contents[name] = old == new ? new : new.prefix(count) + old.dropFirst(count)
                }
                return Disaster(contents: contents, steps: steps, isAfterEnd: isAfterEnd)
            }
        }
    }

    // MARK: The layer

    func openFolder(_ path: String) throws -> CInt {
        let folder = try system.openFolder(path)
        folders.withLock { _ = $0.insert(folder) }
        return folder
    }
    func makeFolder(_ path: String) throws { try system.makeFolder(path) }
    func status(ofPath path: String) throws -> FileStatus? { try system.status(ofPath: path) }
    func names(in folder: CInt) throws -> [String] { try system.names(in: folder) }

    func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt {
        let isNew = try system.status(of: name, in: folder) == nil
        let file = try system.open(name, in: folder, for: purpose)
        let inode = try system.status(of: file).inode
        if isNew { steps.withLock { $0.append(.create(name, inode)) } }
        return file
    }
    func close(_ file: CInt) {
        folders.withLock { _ = $0.remove(file) }
        system.close(file)
    }
    func status(of file: CInt) throws -> FileStatus { try system.status(of: file) }
    func status(of name: String, in folder: CInt) throws -> FileStatus? { try system.status(of: name, in: folder) }
    func read(_ file: CInt, atMost limit: Int) throws -> Data { try system.read(file, atMost: limit) }
    func write(_ data: Data, to file: CInt) throws {
        try system.write(data, to: file)
        let inode = try system.status(of: file).inode
        steps.withLock { $0.append(.write(inode, data)) }
    }
    func sync(_ file: CInt) throws {
        try system.sync(file)
        let step: Step = folders.withLock { $0.contains(file) } ? .syncFolder : .sync(try system.status(of: file).inode)
        steps.withLock { $0.append(step) }
    }
    func syncData(_ file: CInt) throws { try sync(file) }
    func rename(_ name: String, to newName: String, in folder: CInt) throws {
        try system.rename(name, to: newName, in: folder)
        steps.withLock { $0.append(.rename(name, newName)) }
    }
    func remove(_ name: String, in folder: CInt) throws {
        try system.remove(name, in: folder)
        steps.withLock { $0.append(.remove(name)) }
    }
    func lock(_ file: CInt) throws -> Bool { try system.lock(file) }
    func unlock(_ file: CInt) { system.unlock(file) }
}

/// The state of a folder after a power failure.
private struct Disaster: CustomStringConvertible {
    let contents: [String: Data]
    let steps: [RecordedDisk.Step]
    let isAfterEnd: Bool

    func leave(in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(
            atPath: folder.tokens, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (name, content) in contents { try folder.write(content, to: name) }
    }

    var description: String { "after \(steps.map(\.description)): \(contents.mapValues(\.count))" }
}
