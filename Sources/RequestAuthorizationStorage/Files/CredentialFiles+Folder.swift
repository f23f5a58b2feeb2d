// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The locks of a credential, what is new of it, and what belongs to all in a folder.
extension CredentialFiles {
    // MARK: Locks

    /// Takes the lock of a whole refresh; blocks the thread until it is free.
    func lock() throws -> OpenFile {
        let name = stem + ".lock"
        while true {
            var folder = try made()
            let file = try lockFile(name, in: folder)
            if try !file.lock(waits: false) {
                _ = try file.lock(waits: true)
                // Who removed the folder while we waited made others lock another file.
                folder = try made()
            }
            if try isCurrent(file, name, in: folder) { return file }
        }
    }

    // MARK: News

    /// What the system says of the item, and the file, so that its number is not given to another one.
    func look() throws -> (status: FileStatus?, file: OpenFile?) {
        guard let folder = try open(making: false) else { return (nil, nil) }
        let file = try folder.open(token, for: .reading)
        return (file?.status, file)
    }

    func status() throws -> FileStatus? { try open(making: false)?.status(of: token) }

    // MARK: All credentials

    /// All that have an item in a folder.
    static func credentials(in folder: PrivateFolder) throws -> [CredentialName] {
        guard let open = try folder.open(making: false) else { return [] }
        return try open.names.filter { $0.hasSuffix(".token") }.compactMap { name in
            let stem = name.dropLast(".token".count)
            if let credential = CredentialName(stem: stem) { return credential }
            // One that must not be read hides its own account, and no other.
            guard let file = try? open.open(stem + ".name", for: .reading) else { return nil }
            return try? JSONDecoder().decode(CredentialName.self, from: try file.read(atMost: maximumSize))
        }
    }

    // MARK: Left over

    /// Removes what processes left that were ended while they saved, of whatever credential, unless somebody is saving.
    func sweep() throws {
        guard let folder = try open(making: false) else { return }
        for name in try folder.names where name.hasSuffix(".new") {
            let lock = try lockFile(name.dropLast(4) + ".guard", in: folder)
            if try lock.lock(waits: false) { try folder.remove(name) }
        }
    }
}
