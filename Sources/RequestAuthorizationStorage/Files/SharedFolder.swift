// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// What all stores of one folder have in common in a process: the queues that call its disk, the watch, the locks.
///
/// Ten thousand accounts take as many threads and descriptors as one. A disk that does not answer stops the queues of its own
/// folder only.
final class SharedFolder: Sendable {
    let place: PrivateFolder
    let watch: FolderWatch
    private let queues: [BlockingQueue]
    private let locks = WeakTable<String, FileLock>()
    private let isSwept = Lock(false)
    private let key: TokenFolder?

    /// How many accounts are read or written at a time. The calls of one account are made one after the other.
    private static let width = 2

    private static let all = WeakTable<TokenFolder, SharedFolder>()

    /// - Returns: the one of this process. With calls of the system of its own a store has a folder of its own as well.
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

    /// Where the files of an account are read and written.
    func queue(of files: CredentialFiles) -> BlockingQueue {
        queues[Int(UInt(bitPattern: files.stem.hashValue) % UInt(queues.count))]
    }

    /// The lock of an account, whichever of its stores asks.
    func lock(of files: CredentialFiles) -> FileLock {
        locks.value(for: files.stem) { [locks] in
            FileLock(files, on: queue(of: files), watch: watch) { locks.forget(files.stem) }
        }
    }

    /// Removes what processes left that were ended while they saved: it may hold a token. Once, as it lists the folder.
    func sweepOnce() {
        let isFirst = isSwept.withLock { isSwept in
            defer { isSwept = true }
            return !isSwept
        }
        if isFirst { try? CredentialFiles.sweep(place) }
    }
}
