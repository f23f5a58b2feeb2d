// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The lock of a credential, and operations on all credentials of a folder.
extension CredentialFiles {
    // MARK: The lock

    /// Acquires the lock for a whole refresh, or returns `nil` if it is held already.
    func tryLock() throws -> OpenFile? {
        while true {
            let folder = try made()
            let file = try lockFile(lockName, in: folder)
            guard try file.lock() else { return nil }
            if try isCurrent(file, lockName, in: folder) { return file }
        }
    }

    // MARK: All credentials

    /// The credentials that have an item in the folder.
    static func credentials(in folder: PrivateFolder) throws -> [CredentialName] {
        guard let open = try folder.open(making: false) else { return [] }
        return try open.names.filter { $0.hasSuffix(".token") }.compactMap { name in
            let stem = name.dropLast(".token".count)
            if let credential = CredentialName(stem: stem) { return credential }
            // A file that cannot be read hides its own account only.
            guard let file = try? open.open(stem + ".name", for: .reading) else { return nil }
            return try? JSONDecoder().decode(CredentialName.self, from: try file.read(atMost: maximumSize))
        }
    }

    // MARK: Incomplete saves

    /// Removes the incomplete file of a process that died while it saved, unless a save is under way.
    func removeLeftover() throws {
        guard let folder = try open(making: false), try folder.status(of: new) != nil else { return }
        try Self.removeLeftover(stem, in: folder)
    }

    /// Removes the incomplete files of all credentials.
    static func sweep(_ folder: PrivateFolder) throws {
        guard let open = try folder.open(making: false) else { return }
        for name in try open.names where name.hasSuffix(".new") {
            // A failure for one credential does not stop the others.
            try? removeLeftover(String(name.dropLast(".new".count)), in: open)
        }
    }

    private static func removeLeftover(_ stem: String, in folder: OpenFolder) throws {
        let guardFile = try folder.open(stem + ".guard", for: .overwriting)
        // Without a guard file no save is under way.
        if try guardFile?.lock() ?? true { try folder.remove(stem + ".new") }
    }
}
