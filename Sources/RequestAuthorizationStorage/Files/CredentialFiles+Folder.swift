// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Operations on all credentials of a folder.
extension CredentialFiles {
    /// The credentials that have an item in the folder.
    static func credentials(in folder: PrivateFolder) throws -> [CredentialName] {
        guard let open = try folder.open() else { return [] }
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
        guard let folder = try open(), try folder.status(of: new) != nil else { return }
        try Self.removeLeftover(stem, in: folder)
    }

    /// Removes the incomplete files of all credentials.
    static func sweep(_ folder: PrivateFolder) throws {
        guard let open = try folder.open() else { return }
        // Each stem has a comma. Files of other programs stay.
        for name in try open.names where name.hasSuffix(".new") && name.contains(",") {
            // A failure for one credential does not stop the others.
            try? removeLeftover(String(name.dropLast(".new".count)), in: open)
        }
    }

    private static func removeLeftover(_ stem: String, in folder: OpenFolder) throws {
        let guardFile = try folder.open(stem + ".guard", for: .overwriting)
        // Without a guard file no save is under way. Until the file is removed, the guard keeps another from beginning.
        try withExtendedLifetime(guardFile) {
            if try guardFile?.lock() ?? true { try folder.remove(stem + ".new") }
        }
    }
}

// MARK: - Ended sessions

/// A note that an encrypted item is a tombstone, because the list of accounts has no key to find out.
///
/// The note has a hash of the item, so that it does not apply to a later item. The hash need not be secure: a program
/// that can write the note can also remove the item. Earlier versions ignore the note.
extension CredentialFiles {
    /// Writes the note, if the stored item is still this one.
    func noteEnded(_ item: Data) throws {
        try withGuard { folder, _ in
            guard try kept(in: folder).item == item else { return }
            try put(Self.note(item), as: ended, in: folder)
        }
    }

    /// Whether the item has a note. A note that cannot be read is ignored.
    func isNotedAsEnded(_ item: Data) -> Bool {
        let note = Self.note(item)
        guard let file = try? open()?.open(ended, for: .reading) else { return false }
        return (try? file.read(atMost: note.count + 1)) == note
    }

    private static func note(_ item: Data) -> Data { Data(CredentialName.hash(of: Array(item)).utf8) }
}
