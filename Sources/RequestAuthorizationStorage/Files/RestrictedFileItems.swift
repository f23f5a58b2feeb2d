// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One item in a file that only its owner can open, for any number of processes on one machine.
///
///     let items = RestrictedFileItems(client: "CLIENT_ID", account: "me")
///
/// It is the storage of ``RestrictedFileTokenStore``. No call blocks a thread of Swift's cooperative pool.
public final class RestrictedFileItems: SharedByteStore, RedactedDescription {
    /// The client that the token was issued to, such as an OAuth client id.
    package let client: String
    /// The owner of the token: any name that tells this client's sessions apart.
    package let account: String

    private let files: CredentialFiles
    private let folder: SharedFolder
    private let exclusive: FileLock
    private let activity: ExclusiveActivity
    private let queue: any FileQueue
    private let isTidy = Lock(false)
    /// How long to wait for a sibling that is replacing the item.
    private let guardLimit: Duration

    /// Names the file. It is opened on first use.
    ///
    /// - Parameters:
    ///   - client: the client that the token was issued to, such as an OAuth client id; any text.
    ///   - account: the owner of the token; any text. It is compared byte by byte, case included.
    ///   - folder: the folder of the files.
    ///   - activity: a period for exclusive access, on systems that suspend processes.
    public convenience init(
        client: String, account: String, folder: TokenFolder = .default, activity: ExclusiveActivity = .none
    ) {
        self.init(client: client, account: account, folder: folder, activity: activity, layer: SystemFileLayer())
    }

    /// Creates a store with other system calls.
    @_spi(FileLayer) public init(
        client: String, account: String, folder: TokenFolder = .default, activity: ExclusiveActivity = .none,
        layer: any FileLayer, guardLimit: Duration = .seconds(5)
    ) {
        (self.client, self.account, self.activity, self.guardLimit) = (client, account, activity, guardLimit)
        self.folder = SharedFolder.at(folder, layer)
        files = CredentialFiles(CredentialName(client: client, account: account), in: self.folder.place)
        queue = self.folder.queue(of: files)
        exclusive = self.folder.lock(of: files)
    }

    public func load() async throws -> Data? {
        try await run("read the token") { files in
            self.tidyOnce()
            return try files.load()
        }
    }

    public func loadWithIntent() async throws -> ItemWithIntent {
        try await run("read the token") { files in
            self.tidyOnce()
            // A process that is suspended with a locked file may be ended.
            return try files.loadWithIntent(mayLock: !self.activity.isNeeded)
        }
    }

    public func save(_ item: Data) async throws { _ = try await save(item, ending: nil) { _, _ in true } }

    public func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        try await run("save the token", replaces: true) { [folder] files in
            let result = try files.save(item, ending: intent, if: condition)
            folder.sweepOnce()
            return result
        }
    }

    public func clear() async throws { try await run("remove the token") { try $0.clear() } }

    public func clear(_ item: Data) async throws { try await run("remove the token") { try $0.clear(item) } }

    public func setAside(_ item: Data) async throws -> String? {
        try await run("set a damaged item aside") { try $0.setAside(item) }
    }

    public func saveIntent(_ intent: Data?) async throws {
        try await run("write the intent") { try $0.saveIntent(intent) }
    }

    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        guard activity.isNeeded else {
            let held = Lock<FileLock.Access?>(try await exclusive.acquire(within: limit))
            // On the queue, because releasing the lock may block on a disk that hangs.
            return TokenStoreLock { [queue] in queue.begin { held.withLock { $0 = nil } } }
        }
        let access = Lock(ExpiringAccess())
        let giveUp = { @Sendable in
            let waiting = access.exchange(ExpiringAccess(isOver: true)).waiting
            // The system suspends the process, which must not acquire access after that.
            waiting?.cancel()
        }
        let end = try await activity.begin(giveUp)
        do {
            // The task has no value: another thread could keep a reference to it after the access is released.
            let waiting = Task {
                let held = try await exclusive.acquire(within: limit)
                try access.withLock { access in
                    // The time ended before access was acquired, so nothing would release it.
                    guard !access.isOver else { throw Self.noMoreTime }
                    (access.held, access.waiting) = (held, nil)
                }
            }
            let isOver = access.withLock { access in
                if !access.isOver, access.held == nil { access.waiting = waiting }
                return access.isOver
            }
            if isOver { waiting.cancel() }
            try await withTaskCancellationHandler {
                try await waiting.value
            } onCancel: {
                waiting.cancel()
            }
        } catch {
            end()
            guard error is CancellationError, !Task.isCancelled else { throw error }
            throw Self.noMoreTime
        }
        return TokenStoreLock {
            giveUp()
            end()
        }
    }

    /// Whether both name the same file, also by two paths of its folder. `false` if there is no folder yet.
    func isSameFile(as other: RestrictedFileItems) async throws -> Bool {
        guard files.stem == other.files.stem, let one = try await place(), let two = try await other.place() else {
            return false
        }
        return (one.device, one.inode) == (two.device, two.inode)
    }

    private func place() async throws -> FileStatus? { try await run("read the token") { try $0.open()?.status } }

    /// Marks an encrypted tombstone, so that the list of accounts omits it. If this fails, the account is listed.
    func noteEnded(_ item: Data) async { try? await run("note a sign-out") { try $0.noteEnded(item) } }

    public var changes: AsyncStream<Void>? {
        folder.place.layer.keepsFiles ? folder.watch.changes(of: files.token, readOn: queue) : nil
    }

    // MARK: -

    /// Whether the time of the system for a change is over, in the task of that change.
    @TaskLocal static var isTimeOver: Lock<Bool>?

    private static let noMoreTime = TokenStoreError(
        .timedOut, "the system ended the time for exclusive access; try again")

    /// Exclusive access that the system may end.
    private struct ExpiringAccess {
        var held: FileLock.Access?
        /// The task that waits for a sibling.
        var waiting: Task<Void, any Error>?
        var isOver = false
    }

    /// Removes all files of the item, once no refresh is under way.
    func removeAll(within limit: Duration) async throws {
        guard try await run("remove the token", { try $0.folder.open() != nil }) else { return }
        try await lock(within: limit).whileHeld { try await run("remove the token") { try $0.removeAll() } }
    }

    /// - Parameter replaces: `true` for a save, which replaces an oversized item. Other operations throw.
    private func run<Value: Sendable>(
        _ purpose: String, replaces: Bool = false, _ body: @escaping @Sendable (CredentialFiles) throws -> Value
    ) async throws -> Value {
        let isTimeOver = Self.isTimeOver
        return try await queue.run(again: { try self.retry($0, after: $1) }) { [files] in
            // The process is about to be suspended, and must not lock a file after that.
            if isTimeOver?.withLock({ $0 }) == true { throw Self.noMoreTime }
            return try files.folder.naming(purpose) {
                do {
                    return try body(files)
                } catch is OversizedItem {
                    guard let place = try files.setOversizedAside(), !replaces else { return try body(files) }
                    throw TokenStoreError(
                        .corrupt,
                        "the stored item is too large; its beginning was set aside as \(place); sign in again")
                }
            }
        }
    }

    /// Removes the incomplete file of a process that died while it saved, as it may have a token. Locks a file.
    private func tidyOnce() { if !isTidy.exchange(true), !activity.isNeeded { try? files.removeLeftover() } }

    /// Waits for a sibling that has the guard. Other accounts use the queue meanwhile.
    private func retry(_ error: any Error, after waited: Duration) throws -> Duration {
        guard error is GuardIsHeld else { throw error }
        guard waited < guardLimit else {
            throw TokenStoreError(
                .timedOut,
                """
                another process has locked \(files.folder.path)/\(files.guardName) and may be stopped; \
                resume or end it, and try again
                """)
        }
        return .microseconds(Int.random(in: 500...1_000))
    }
}
