// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The intent: a file that is made with the first token and overwritten in place.
extension CredentialFiles {
    func saveIntent(_ data: Data?) throws {
        if let data, !(1...IntentRecord.capacity).contains(data.count) {
            throw TokenStoreError(
                .unsuitable, "an intent has \(data.count) bytes; files take 1 to \(IntentRecord.capacity)")
        }
        guard let folder = try open(making: data != nil) else { return }
        // Where nothing was ever saved, no save comes late either; and a guard would say that something was.
        if try folder.status(of: guardName) == nil { return try writeIntent(data, in: folder) }
        // A save that was given up and returns late must not end it.
        try withGuard(in: folder) { folder, _ in try writeIntent(data, in: folder) }
    }

    /// Not durably: one that comes back after the machine has stopped names a token that is no longer kept, or still to be
    /// refreshed.
    func removeIntent(in folder: OpenFolder) throws {
        try folder.open(intent, for: .overwriting)?.write(IntentRecord.none)
    }

    /// Removes an intent, unless another one stands there.
    func endIntent(_ data: Data, in folder: OpenFolder) throws {
        guard let file = try folder.open(intent, for: .overwriting), try read(file) == data else { return }
        try file.write(IntentRecord.none)
    }

    func loadIntent(in folder: OpenFolder) throws -> Data? {
        guard let file = try folder.open(intent, for: .reading) else { return nil }
        return try read(file)
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

    private func read(_ file: OpenFile) throws -> Data? {
        IntentRecord.decode(try file.read(atMost: IntentRecord.size + 1))
    }

    private func writeIntent(_ data: Data?, in folder: OpenFolder) throws {
        guard let data else { return try removeIntent(in: folder) }
        let record = IntentRecord.encode(data)
        guard let file = try folder.open(intent, for: .overwriting) else { return try makeIntent(record, in: folder) }
        try file.write(record)
        try file.syncData()
    }
}
