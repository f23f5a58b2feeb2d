// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A folder that belongs to the user who runs this, and that nobody else can enter.
///
/// It is opened anew, and looked at, for every operation: it may be exchanged, removed or opened up at any time.
struct PrivateFolder: Sendable {
    let path: String
    /// Whether it is where the environment says. Then a home of somebody else is refused, as under sudo.
    let isFromEnvironment: Bool
    let layer: any FileLayer

    /// - Throws: ``TokenStoreError`` or ``FileError``.
    /// - Returns: `nil` if it is not there and is not to be made.
    func open(making: Bool) throws -> OpenFolder? {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw TokenStoreError(.unsuitable, "'\(path)' is no absolute path; name a folder from / on")
        }
        do {
            return try opened()
        } catch let error as FileError where error.code == ENOENT {
            guard making else { return nil }
        }
        try refuseForeignHome()
        try make(path)
        layer.protect(path)
        return try opened()
    }

    /// What changes whenever a file in the folder does, or the folder comes or goes: its own status, or, as long as it is not
    /// there, that of the closest folder above it.
    func look() throws -> FileStatus? {
        if let folder = try open(making: false) { return try folder.status }
        var parent = path[...]
        while let end = parent.lastIndex(of: "/"), end != parent.startIndex {
            parent = parent[..<end]
            if let status = try layer.status(ofPath: String(parent)) { return status }
        }
        return try layer.status(ofPath: "/")
    }

    // MARK: -

    private func opened() throws -> OpenFolder {
        let folder = OpenFolder(try layer.openFolder(path), path: path, layer: layer)
        let status = try folder.status
        guard status.isFolder else { throw FileError("open", ENOTDIR) }
        guard status.owner == folder.user else { throw foreign(path, owner: status.owner) }
        guard !status.isOpenToOthers else {
            throw TokenStoreError(.notPrivate, "others can enter \(path); chmod 700 it, and see who has been there")
        }
        return folder
    }

    private func make(_ path: String) throws {
        do {
            try layer.makeFolder(path)
        } catch let error as FileError where error.code == ENOENT {
            guard let end = path.lastIndex(of: "/"), end != path.startIndex else { throw error }
            try make(String(path[..<end]))
            try layer.makeFolder(path)
        }
    }

    private func refuseForeignHome() throws {
        guard isFromEnvironment else { return }
        var parent = path[...]
        while let end = parent.lastIndex(of: "/"), end != parent.startIndex {
            parent = parent[..<end]
            guard let status = try layer.status(ofPath: String(parent)) else { continue }
            if status.owner != geteuid() { throw foreign(String(parent), owner: status.owner) }
            return
        }
    }

    private func foreign(_ path: String, owner: UInt32) -> TokenStoreError {
        TokenStoreError(
            .notPrivate,
            """
            \(path) belongs to user \(owner), and this runs as user \(geteuid()); \
            run it as that user, not with sudo, or name a folder of your own
            """)
    }
}
