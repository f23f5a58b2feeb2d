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

/// What is done to the files of one credential, by calls that may block.
///
///     STEM.token    the item; empty if what was there has been set aside
///     STEM.new      the item that is about to take its place; whoever writes it has the guard
///     STEM.guard    locked while the item is exchanged: a moment
///     STEM.lock     locked for a whole refresh
///     STEM.intent   an IntentRecord
///     STEM.name     the full names, if the stem is shortened
///     STEM.ended    which sealed item holds no token
///     STEM.corrupt-1 …   what was set aside
struct CredentialFiles: Sendable {
    let folder: PrivateFolder
    let credential: CredentialName
    let stem: String
    private let isShortened: Bool
    /// The folder in which the item was last seen.
    private let lastPlace = Lock<FolderBirth?>(nil)

    /// Bytes of the longest item.
    static let maximumSize = 1 << 20
    /// Bytes that are kept of one that is longer.
    private static let beginningSize = 4096

    init(_ credential: CredentialName, in folder: PrivateFolder) {
        (self.credential, self.folder) = (credential, folder)
        stem = credential.stem
        isShortened = credential.isShortened
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
        guard let folder = try open(making: false) else { return nil }
        return try load(in: folder)
    }

    func loadWithIntent() throws -> ItemWithIntent {
        guard let folder = try open(making: false) else {
            return ItemWithIntent(nil, absence: .placeMissing, intent: nil)
        }
        try refuseCollision(in: folder)
        let kept = try kept(in: folder)
        return ItemWithIntent(kept.item, absence: kept.absence, intent: try loadIntent(in: folder))
    }

    /// - Parameter intent: removed when the item is durable, unless another stands there.
    func save(
        _ item: Data, ending intent: Data?, if condition: (Data?, TokenAbsence) throws -> Bool
    ) throws -> ItemSaveResult {
        guard !item.isEmpty, item.count <= Self.maximumSize else {
            throw TokenStoreError(.unsuitable, "an item has \(item.count) bytes; files take 1 to \(Self.maximumSize)")
        }
        return try withGuard { folder, isNew in
            let (kept, absence) = try kept(in: folder, hadGuard: !isNew)
            // What could not be made durable the first time is written anew.
            if kept != item, try !condition(kept, absence) {
                if isNew { try folder.remove(guardName) }
                return .refused(kept)
            }
            try prepare(folder)
            // What stands there has been read, so it is one of ours.
            try exchange(item, as: token, in: folder)
            remember(folder)
            if let intent { try endIntent(intent, in: folder) }
            return .saved
        }
    }

    func clear() throws {
        guard try open(making: false) != nil else { return }
        try withGuard { folder, _ in
            for name in [new, token, name, ended] {
                try folder.check(name)
                try folder.remove(name)
            }
            try folder.sync()
        }
    }

    /// Removes the item if it is still this one.
    func clear(_ item: Data) throws {
        guard let folder = try open(making: false), try kept(in: folder).item == item else { return }
        try withGuard(in: folder) { folder, _ in
            guard try kept(in: folder).item == item else { return }
            try folder.remove(token)
            try folder.sync()
        }
    }

    func setAside(_ item: Data) throws -> String? {
        guard try open(making: false) != nil else { return nil }
        return try withGuard { folder, _ in
            guard try kept(in: folder).item == item else { return nil }
            let aside = try copyAside(item, in: folder)
            // The name is never without a file: to siblings that would be a sign-out.
            try exchange(Data(), as: token, in: folder)
            return "\(folder.path)/\(aside)"
        }
    }

    /// Sets the beginning of an item aside that is longer than any of ours; there is nothing then.
    ///
    /// - Returns: where it is; `nil` if it is not there any more.
    func setOversizedAside() throws -> String? {
        try withGuard { folder, _ in
            do {
                _ = try kept(in: folder)
                return nil
            } catch let error as OversizedItem {
                let aside = try copyAside(error.beginning, in: folder)
                try exchange(Data(), as: token, in: folder)
                return "\(folder.path)/\(aside)"
            }
        }
    }

    /// Removes all that there is of the credential. Whoever calls it has the lock.
    ///
    /// Siblings that have the lock or the guard open see that they are not current. Where folders have no time of birth the
    /// guard stays: it tells an account that was removed from a folder that was.
    func removeAll() throws {
        guard try open(making: false) != nil else { return }
        try withGuard { folder, _ in
            let names = try folder.names.filter { $0.hasPrefix(stem + ".") && $0 != lockName && $0 != guardName }
            for name in names { try folder.remove(name) }
            try folder.sync()
            // From here on others may come in.
            try folder.remove(lockName)
            if folder.birth != nil { try folder.remove(guardName) }
        }
    }

    // MARK: -

    /// Says in errors of the system what was to be done.
    func naming<Result>(_ purpose: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw TokenStoreError(error, of: folder, to: purpose)
        }
    }

    func open(making: Bool) throws -> OpenFolder? { try folder.open(making: making) }

    func made() throws -> OpenFolder {
        guard let folder = try folder.open(making: true) else { throw FileError("open", ENOENT) }
        return folder
    }

    private func load(in folder: OpenFolder) throws -> Data? {
        try refuseCollision(in: folder)
        return try kept(in: folder).item
    }

    /// The item, or why there is none.
    ///
    /// - Parameter hadGuard: whether there was a guard before it was made here; `nil` if none was made.
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

    /// Why there is no file.
    ///
    /// The guard comes with the first save, and goes when the account is removed. Then the folder is still the same one. A folder
    /// that was removed is made again with the lock of a refresh: it has no guard and is another one.
    private func absence(in folder: OpenFolder, hadGuard: Bool?) throws -> TokenAbsence {
        if try hadGuard ?? (folder.status(of: guardName) != nil) { return .gone }
        guard let birth = folder.birth else { return .placeMissing }
        return lastPlace.withLock { $0 == birth } ? .gone : .placeMissing
    }

    private func remember(_ folder: OpenFolder) {
        let birth = folder.birth
        lastPlace.withLock { $0 = birth }
    }

    /// Writes a file, unless something that is not ours stands under its name.
    func put(_ data: Data, as name: String, in folder: OpenFolder) throws {
        try folder.check(name)
        try exchange(data, as: name, in: folder)
    }

    /// Puts a whole new file in place of another. What fails leaves the old one.
    private func exchange(_ data: Data, as name: String, in folder: OpenFolder) throws {
        try writeNew(data, in: folder) { try folder.rename(new, to: name) }
        try folder.sync()
    }

    /// Writes a new file, durably, and does something with it.
    private func writeNew<Result>(_ data: Data, in folder: OpenFolder, then body: () throws -> Result) throws -> Result
    {
        // After an fsync that failed a file must not be believed, so each try writes its own.
        let file = try createNew(in: folder)
        do {
            try file.write(data)
            try file.sync()
            return try body()
        } catch {
            try? folder.remove(new)
            throw error
        }
    }

    /// What is there already was left by a process that died: nobody else writes without the guard.
    private func createNew(in folder: OpenFolder) throws -> OpenFile {
        do {
            return try folder.create(new)
        } catch let error as FileError where error.code == EEXIST {
            try folder.remove(new)
            return try folder.create(new)
        }
    }

    /// Before the first save: what later must not fail for want of space, and who this is.
    private func prepare(_ folder: OpenFolder) throws {
        if try folder.status(of: intent) == nil { try? makeIntent(IntentRecord.none, in: folder) }
        guard isShortened else { return }
        try refuseCollision(in: folder)
        if try folder.status(of: name) == nil { try put(try JSONEncoder().encode(credential), as: name, in: folder) }
    }

    private func refuseCollision(in folder: OpenFolder) throws {
        guard isShortened, let file = try folder.open(name, for: .reading) else { return }
        let full = try? JSONDecoder().decode(CredentialName.self, from: try file.read(atMost: Self.maximumSize))
        guard full == credential else {
            throw TokenStoreError(.unsuitable, "\(folder.path)/\(name) is another account's; use a shorter name")
        }
    }

    /// Keeps a copy under a free name. A second name for the item itself would do harm: until the item has lost the first one
    /// it is refused to who reads it, and for ever if this process is ended in between.
    private func copyAside(_ item: Data, in folder: OpenFolder) throws -> String {
        try writeNew(item, in: folder) {
            for number in 1...99 {
                let aside = "\(stem).corrupt-\(number)"
                do {
                    try folder.link(new, to: aside)
                    try folder.remove(new)
                    return aside
                } catch let error as FileError where error.code == EEXIST {}
            }
            throw TokenStoreError(.corrupt, "99 damaged items stand in \(folder.path); find out why, and remove them")
        }
    }
}

/// What stands under the name of an item is longer than any item: nobody of ours wrote it.
struct OversizedItem: Error {
    let beginning: Data
}
