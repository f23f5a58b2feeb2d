// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The files of one credential. All calls may block.
///
///     STEM.token    the item; empty if the item has been set aside
///     STEM.new      the next item while it is written; written only with the guard
///     STEM.guard    locked while the item is replaced; empty until an item was saved
///     STEM.lock     locked for a whole refresh
///     STEM.intent   an IntentRecord
///     STEM.name     the full names, if the stem is shortened
///     STEM.ended    the hash of an encrypted item that is a tombstone
///     STEM.corrupt-1 …   items that were set aside
struct CredentialFiles: Sendable {
    let folder: PrivateFolder
    let credential: CredentialName
    let stem: String
    private let isShortened: Bool
    /// The folder that last had the item.
    private let lastPlace = Lock<FolderBirth?>(nil)
    /// The token whose name this process has made durable.
    private let durable = Lock<FileStatus?>(nil)

    /// The largest item, in bytes.
    static let maximumSize = 1 << 20
    /// The bytes that are kept of a larger file that is set aside.
    private static let beginningSize = 4096

    init(_ credential: CredentialName, in folder: PrivateFolder) {
        (self.credential, self.folder) = (credential, folder)
        (stem, isShortened) = (credential.stem, credential.isShortened)
    }

    var token: String { stem + ".token" }
    var new: String { stem + ".new" }
    var intent: String { stem + ".intent" }
    var name: String { stem + ".name" }
    var guardName: String { stem + ".guard" }
    var lockName: String { stem + ".lock" }
    var ended: String { stem + ".ended" }

    // MARK: The item

    func load() throws -> Data? {
        guard let folder = try open() else { return nil }
        try refuseCollision(in: folder)
        return try kept(in: folder).item
    }

    /// - Parameter mayLock: whether a file may be locked, if the intent looks damaged.
    func loadWithIntent(mayLock: Bool) throws -> ItemWithIntent {
        guard let folder = try open() else { return ItemWithIntent(nil, absence: .placeMissing, intent: nil) }
        try refuseCollision(in: folder)
        let kept = try kept(in: folder)
        return ItemWithIntent(kept.item, absence: kept.absence, intent: try loadIntent(in: folder, mayLock: mayLock))
    }

    /// - Parameter intent: removed once the item is durable, unless the file has another intent.
    func save(
        _ item: Data, ending intent: Data?, if condition: (Data?, TokenAbsence) throws -> Bool
    ) throws -> SaveResult<Data> {
        guard !item.isEmpty, item.count <= Self.maximumSize else {
            throw TokenStoreError(.unsuitable, "the item has \(item.count) bytes; 1 to \(Self.maximumSize) are allowed")
        }
        return try withGuard { folder, former in
            try refuseCollision(in: folder)
            let (kept, absence) = try kept(in: folder, hadGuard: former != nil)
            // An equal item is written again: it may not have become durable the first time.
            if kept != item, try !condition(kept, absence) {
                if former == nil { try folder.remove(guardName) }
                return .refused(kept)
            }
            try prepare(folder)
            // `kept(in:)` has checked the file that is replaced.
            try exchange(item, as: token, in: folder)
            _ = durable.exchange(try? folder.status(of: token))
            // `kept(in:)` has remembered the folder of a kept item.
            if kept == nil { remember(folder) }
            // A save that is cut off before this one has saved nothing.
            if former?.status.size ?? 0 == 0 { markGuard(in: folder) }
            if let intent { try endIntent(intent, in: folder) }
            return .saved
        }
    }

    func clear() throws {
        guard try open() != nil else { return }
        try withGuard { folder, _ in
            try refuseCollision(in: folder, mayBeDamaged: true)
            for name in [new, token, name, ended] {
                try folder.check(name)
                try folder.remove(name)
            }
            try folder.sync()
        }
    }

    func clear(_ item: Data) throws {
        guard let folder = try open(), try kept(in: folder).item == item else { return }
        try withGuard(in: folder) { folder, _ in
            guard try kept(in: folder).item == item else { return }
            try folder.remove(token)
            try folder.sync()
        }
    }

    func setAside(_ item: Data) throws -> String? {
        guard try open() != nil else { return nil }
        return try withGuard { folder, _ in
            guard try kept(in: folder).item == item else { return nil }
            return try moveAside(item, in: folder)
        }
    }

    /// Sets the beginning of an oversized item aside, and empties the file.
    ///
    /// - Returns: the path of the copy, or `nil` if the item is no longer oversized.
    func setOversizedAside() throws -> String? {
        try withGuard { folder, _ in
            do {
                _ = try kept(in: folder)
                return nil
            } catch let error as OversizedItem {
                return try moveAside(error.beginning, in: folder)
            }
        }
    }

    /// Removes all files of the credential. The caller holds the lock.
    ///
    /// Siblings that have the lock or the guard open notice that their file is no longer current. If the file system
    /// has no times of birth, the guard file stays: it shows that the account was removed, and not the whole folder.
    func removeAll() throws {
        guard try open() != nil else { return }
        try withGuard { folder, _ in
            try refuseCollision(in: folder, mayBeDamaged: true)
            let names = try folder.names.filter { $0.hasPrefix(stem + ".") && $0 != lockName && $0 != guardName }
            for name in names { try folder.remove(name) }
            try folder.sync()
            // From here on siblings can acquire a new lock.
            try folder.remove(lockName)
            if folder.birth != nil { try folder.remove(guardName) }
        }
    }

    // MARK: -

    func open() throws -> OpenFolder? { try folder.open() }
    func made() throws -> OpenFolder { try folder.made() }

    /// Returns the item, or why there is none.
    ///
    /// - Parameter hadGuard: whether the guard file existed before this operation made it; `nil` if it makes none.
    func kept(in folder: OpenFolder, hadGuard: Bool? = nil) throws -> (item: Data?, absence: TokenAbsence) {
        guard let file = try folder.open(token, for: .reading) else {
            return (nil, try absence(in: folder, hadGuard: hadGuard))
        }
        let item = try file.read(atMost: Self.maximumSize + 1)
        if item.count > Self.maximumSize { throw OversizedItem(beginning: item.prefix(Self.beginningSize)) }
        if item.isEmpty { return (nil, .setAside) }
        remember(folder)
        return (item, .gone)
    }

    /// Returns why there is no item file: the item was removed, or the place is missing.
    ///
    /// The first save makes the guard file. Removing the account removes it, and the folder stays the same one. If the
    /// folder was removed, a refresh makes a new one with its lock file, which has no guard file. An empty guard file is
    /// that of a first save which is under way, or was cut off.
    private func absence(in folder: OpenFolder, hadGuard: Bool?) throws -> TokenAbsence {
        let guardFile = hadGuard == false ? nil : try folder.status(of: guardName)
        if let guardFile, guardFile.size > 0 { return .gone }
        guard let birth = folder.birth else { return guardFile == nil ? .placeMissing : .gone }
        return lastPlace.withLock { $0 == birth } ? .gone : .placeMissing
    }

    /// Makes the name of the token durable, unless this process has done so. That saves a flush of the disk.
    ///
    /// The guard is held. Another file has another inode or was changed at another time.
    func syncToken(in folder: OpenFolder) throws {
        let status = try folder.status(of: token)
        guard status == nil || durable.withLock({ $0 }) != status else { return }
        try folder.sync()
        _ = durable.exchange(status)
    }

    /// Notes that an item was saved. Without the note a removed session looks like a missing place to a new process.
    private func markGuard(in folder: OpenFolder) {
        try? folder.open(guardName, for: .overwriting)?.write(Data([1]))
    }

    private func remember(_ folder: OpenFolder) { _ = lastPlace.exchange(folder.birth) }

    /// Replaces a file durably. Throws if the name has a file that is not ours.
    func put(_ data: Data, as name: String, in folder: OpenFolder) throws {
        try folder.check(name)
        try exchange(data, as: name, in: folder)
    }

    /// Replaces a file durably by a new one. If this fails, the old file stays.
    private func exchange(_ data: Data, as name: String, in folder: OpenFolder) throws {
        // After a failed fsync the contents of a file are uncertain, so each try writes a new one.
        let file = try createNew(in: folder)
        do {
            try file.write(data)
            try file.sync()
            try folder.rename(new, to: name)
        } catch {
            try? folder.remove(new)
            throw error
        }
        try folder.sync()
    }

    /// Creates the new file. One that exists was left by a process that died, because the caller has the guard.
    private func createNew(in folder: OpenFolder) throws -> OpenFile {
        do {
            return try folder.create(new)
        } catch let error as FileError where error.alreadyExists {
            try folder.remove(new)
            return try folder.create(new)
        }
    }

    /// Makes the intent file, which later must not fail on a full disk, and the file with the full names if needed.
    private func prepare(_ folder: OpenFolder) throws {
        if try folder.status(of: intent) == nil { try? makeIntent(IntentRecord.none, in: folder) }
        guard isShortened, try folder.status(of: name) == nil else { return }
        try put(try JSONEncoder().encode(credential), as: name, in: folder)
    }

    /// - Parameter mayBeDamaged: whether a file with the names may be damaged: it is about to be removed.
    private func refuseCollision(in folder: OpenFolder, mayBeDamaged: Bool = false) throws {
        guard isShortened, let file = try folder.open(name, for: .reading) else { return }
        let full = try? JSONDecoder().decode(CredentialName.self, from: try file.read(atMost: Self.maximumSize))
        guard full == credential || full == nil && mayBeDamaged else {
            throw TokenStoreError(.unsuitable, "\(folder.path)/\(name) belongs to another account; use a shorter name")
        }
    }

    /// Copies an item to a free name, and empties the item file.
    ///
    /// - Returns: the path of the copy.
    private func moveAside(_ item: Data, in folder: OpenFolder) throws -> String {
        let aside = try copyAside(item, in: folder)
        // The name always has a file: siblings take a missing file for a sign-out.
        try exchange(Data(), as: token, in: folder)
        return "\(folder.path)/\(aside)"
    }

    /// Copies an item to a free name, which stays free: whoever sets an item aside has the guard.
    ///
    /// A second link to the item itself would be unsafe: files with two names are refused. If this process died in
    /// between, the item would stay refused.
    private func copyAside(_ item: Data, in folder: OpenFolder) throws -> String {
        for number in 1...99 {
            let aside = "\(stem).corrupt-\(number)"
            guard try folder.status(of: aside) == nil else { continue }
            try exchange(item, as: aside, in: folder)
            return aside
        }
        throw TokenStoreError(.corrupt, "\(folder.path) has 99 damaged items; find out why, and remove them")
    }
}

/// The item file is larger than any item of this package.
struct OversizedItem: Error { let beginning: Data }
