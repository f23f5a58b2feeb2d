// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The queues, the watch and the locks that all stores of one folder share in a process.
///
/// Ten thousand accounts need as many threads and descriptors as one. A disk that hangs blocks the queues of its own
/// folder only.
final class SharedFolder: Sendable {
    let place: PrivateFolder
    let watch: FolderWatch
    private let queues: [BlockingQueue]
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
        queues = (0..<Self.width).map { BlockingQueue("files-\($0)") }
        watch = FolderWatch(place, on: queues[0])
    }

    deinit { if let key { Self.all.forget(key) } }

    func queue(of files: CredentialFiles) -> BlockingQueue {
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
    func sweepOnce() {
        let isFirst = isSwept.withLock { isSwept in
            defer { isSwept = true }
            return !isSwept
        }
        if isFirst { try? CredentialFiles.sweep(place) }
    }
}
