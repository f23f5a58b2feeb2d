// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The queues, the watch and the locks that all stores of one folder share in a process.
///
/// Ten thousand accounts need as many threads and descriptors as one. A disk that hangs blocks the queues of its own
/// folder only.
final class SharedFolder: Sendable {
    let place: PrivateFolder
    let watch: FolderWatch
    private let queues: [any FileQueue]
    private let locks = WeakTable<String, FileLock>()
    private let isSwept = Lock(false)
    private let key: TokenFolder?

    /// The number of accounts that are read or written at the same time. The calls of one account are serial.
    private static let width = 2

    private static let all = WeakTable<TokenFolder, SharedFolder>()

    /// - Returns: the shared folder of this process. A store with a custom layer gets a folder of its own.
    static func at(_ folder: TokenFolder, _ layer: any FileLayer) -> SharedFolder {
        guard layer is SystemFileLayer else { return SharedFolder(folder.folder(layer), key: nil) }
        return all.value(for: folder) { SharedFolder(folder.folder(layer), key: folder) }
    }

    private init(_ place: PrivateFolder, key: TokenFolder?) {
        (self.place, self.key) = (place, key)
        queues = (0..<Self.width).map { place.layer.queue("files-\($0)") }
        watch = FolderWatch(place, on: queues[0]) { FolderNotices.follow($0, in: place.layer, $1) }
    }

    deinit { if let key { Self.all.forget(key) } }

    func queue(of files: CredentialFiles) -> any FileQueue {
        queues[Int(UInt(bitPattern: files.stem.hashValue) % UInt(queues.count))]
    }

    /// The lock of an account, shared by all its stores.
    func lock(of files: CredentialFiles) -> FileLock {
        locks.value(for: files.stem) { [locks] in
            FileLock(files, on: queue(of: files), watch: watch) { locks.forget(files.stem) }
        }
    }

    /// Removes the incomplete files of processes that died while they saved, as they may have tokens. It lists the
    /// folder, so it runs once.
    func sweepOnce() { if !isSwept.exchange(true) { try? CredentialFiles.sweep(place) } }
}

/// One shared object per key, for as long as it is referenced.
final class WeakTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    private struct Entry { weak var value: Value? }

    private let entries = Lock<[Key: Entry]>([:])

    /// - Parameter make: makes the object if the table has none. The object's `deinit` must call ``forget(_:)``.
    func value(for key: Key, _ make: () -> Value) -> Value {
        entries.withLock { entries in
            if let value = entries[key]?.value { return value }
            let value = make()
            entries[key] = Entry(value: value)
            return value
        }
    }

    /// Removes the entry of an object that was deallocated, unless the key has a new object.
    func forget(_ key: Key) {
        let successor = entries.withLock { entries in
            let successor = entries[key]?.value
            if successor == nil { entries[key] = nil }
            return successor
        }
        // If this is the last reference, the successor's `deinit` calls this function, which locks the table.
        withExtendedLifetime(successor) {}
    }
}
