// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A folder that belongs to the user of this process and that others cannot enter.
///
/// Every operation opens and checks it again, because it may be replaced, removed or opened to others at any time.
struct PrivateFolder: Sendable {
    let path: String
    /// Whether the path comes from the environment. Then the home folder of another user is refused, as under sudo.
    let isFromEnvironment: Bool
    let layer: any FileLayer

    /// - Throws: `TokenStoreError` or ``FileError``.
    /// - Returns: `nil` if the folder does not exist.
    func open() throws -> OpenFolder? {
        guard layer.keepsFiles else { throw TokenStoreError.noFilesHere }
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw TokenStoreError(.unsuitable, "'\(path)' is not an absolute path; use a path that begins with /")
        }
        do {
            return try opened()
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    /// Opens the folder, and makes it if it does not exist.
    func made() throws -> OpenFolder {
        if let folder = try open() { return folder }
        try refuseForeignHome()
        try make(path)
        layer.protect(path)
        return try opened()
    }

    /// The metadata of the folder, or of the closest folder above it if it does not exist.
    ///
    /// It changes when a file in the folder changes, and when the folder is made or removed.
    func look() throws -> FileStatus? {
        if let folder = try open() { return try folder.status }
        return try parent()?.status ?? layer.status(ofPath: "/")
    }

    /// Adds the purpose to errors of system calls.
    func naming<Result>(_ purpose: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw TokenStoreError(error, of: self, to: purpose)
        }
    }

    // MARK: -

    private func opened() throws -> OpenFolder {
        let folder = OpenFolder(try layer.openFolder(path), path: path, user: SystemFileLayer.user, layer: layer)
        let status = try folder.status
        guard status.isFolder else { throw FileError.notFolder }
        guard status.owner == folder.user else { throw foreign(path, owner: status.owner) }
        guard !status.isOpenToOthers else {
            throw TokenStoreError(.notPrivate, "other users can enter \(path); chmod 700 it, and check its files")
        }
        return folder
    }

    private func make(_ path: String) throws {
        do {
            try layer.makeFolder(path)
        } catch let error as FileError where error.isMissing {
            guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")), end != path.startIndex else { throw error }
            try make(String(path[..<end]))
            try layer.makeFolder(path)
        }
    }

    private func refuseForeignHome() throws {
        guard isFromEnvironment, let parent = try parent(), parent.status.owner != SystemFileLayer.user else { return }
        throw foreign(parent.path, owner: parent.status.owner)
    }

    /// The closest folder above this one that exists, except the root.
    private func parent() throws -> (path: String, status: FileStatus)? {
        var parent = path[...]
        while let end = parent.utf8.lastIndex(of: UInt8(ascii: "/")), end != parent.startIndex {
            parent = parent[..<end]
            if let status = try layer.status(ofPath: String(parent)) { return (String(parent), status) }
        }
        return nil
    }

    private func foreign(_ path: String, owner: UInt32) -> TokenStoreError {
        TokenStoreError(
            .notPrivate,
            """
            \(path) belongs to user \(owner), but this program runs as user \(SystemFileLayer.user); \
            run it as that user, not with sudo, or use another folder
            """)
    }
}

extension TokenStoreError {
    /// The error on tvOS, where a program may write caches only, which the system removes.
    static var noFilesHere: TokenStoreError {
        TokenStoreError(.unsuitable, "this system keeps no files of programs; use KeychainTokenStore")
    }
}
