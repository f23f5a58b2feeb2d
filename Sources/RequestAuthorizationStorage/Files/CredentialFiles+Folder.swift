// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The lock of a credential, and what belongs to all in a folder.
extension CredentialFiles {
    // MARK: The lock

    /// Takes the lock of a whole refresh.
    ///
    /// - Returns: `nil` if it is held.
    func tryLock() throws -> OpenFile? {
        while true {
            let folder = try made()
            let file = try lockFile(lockName, in: folder)
            guard try file.lock() else { return nil }
            if try isCurrent(file, lockName, in: folder) { return file }
        }
    }

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

    /// Removes what a process left that was ended while it saved this credential, unless it is being saved.
    func removeLeftover() throws {
        guard let folder = try open(making: false), try folder.status(of: new) != nil else { return }
        try Self.removeLeftover(stem, in: folder)
    }

    /// The same for all credentials.
    static func sweep(_ folder: PrivateFolder) throws {
        guard let open = try folder.open(making: false) else { return }
        for name in try open.names where name.hasSuffix(".new") {
            // What is wrong with one does not keep the others.
            try? removeLeftover(String(name.dropLast(".new".count)), in: open)
        }
    }

    private static func removeLeftover(_ stem: String, in folder: OpenFolder) throws {
        let guardFile = try folder.open(stem + ".guard", for: .overwriting)
        // Without a guard nothing is being saved.
        if try guardFile?.lock() ?? true { try folder.remove(stem + ".new") }
    }
}
