// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The intent: a file that is made with the first token and is then overwritten in place.
extension CredentialFiles {
    func saveIntent(_ data: Data?) throws {
        if let data, !(1...IntentRecord.capacity).contains(data.count) {
            throw TokenStoreError(
                .unsuitable, "the intent has \(data.count) bytes; 1 to \(IntentRecord.capacity) are allowed")
        }
        guard let folder = try data == nil ? open() : made() else { return }
        // No guard file: nothing was ever saved, so a late save is impossible. Making one would say otherwise.
        if try folder.status(of: guardName) == nil { return try writeIntent(data, in: folder) }
        // With the guard, a late save of an abandoned refresh cannot remove this intent.
        try withGuard(in: folder) { folder, _ in try writeIntent(data, in: folder) }
    }

    /// Removes the intent, not durably. If it reappears after a crash of the machine, it names a token that is no
    /// longer stored or that must be refreshed anyway.
    func removeIntent(in folder: OpenFolder) throws {
        try folder.open(intent, for: .overwriting)?.write(IntentRecord.none)
    }

    /// Removes the intent if it equals this one.
    func endIntent(_ data: Data, in folder: OpenFolder) throws {
        guard let file = try folder.open(intent, for: .overwriting), try read(file) == data else { return }
        try file.write(IntentRecord.none)
    }

    /// - Returns: `nil` if there is no intent; empty data if it is damaged.
    func loadIntent(in folder: OpenFolder, mayLock: Bool) throws -> Data? {
        let intent = try readIntent(in: folder)
        guard intent?.isEmpty == true, mayLock, try folder.status(of: guardName) != nil else { return intent }
        // It looks damaged while it is overwritten, and would cause a refresh. Whoever writes it has the guard.
        do {
            return try withGuard(in: folder) { folder, _ in try readIntent(in: folder) }
        } catch is FileError {
            return intent
        }
    }

    func makeIntent(_ record: Data, in folder: OpenFolder) throws {
        let file = try folder.create(intent)
        do {
            try file.write(record)
            try file.sync()
            try folder.sync()
        } catch {
            try? folder.remove(intent)
            throw error
        }
    }

    // MARK: -

    private func readIntent(in folder: OpenFolder) throws -> Data? {
        try folder.open(intent, for: .reading).flatMap { try read($0) }
    }

    private func read(_ file: OpenFile) throws -> Data? {
        IntentRecord.decode(try file.read(atMost: IntentRecord.size + 1))
    }

    private func writeIntent(_ data: Data?, in folder: OpenFolder) throws {
        guard let data else { return try removeIntent(in: folder) }
        let record = IntentRecord.encode(data)
        guard let file = try folder.open(intent, for: .overwriting) else { return try makeIntent(record, in: folder) }
        // The token may be that of a process which was killed after its rename. It must not be spent before its name is
        // durable: after a loss of power the older token would be there, and nothing would say that it was spent.
        try syncToken(in: folder)
        try file.write(record)
        try file.syncData()
    }
}
