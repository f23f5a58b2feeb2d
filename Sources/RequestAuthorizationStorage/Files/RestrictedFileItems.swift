// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// One item in a file that only its user can open, for any number of processes on one machine.
///
///     let items = RestrictedFileItems(client: "CLIENT_ID", account: "me")
///
/// ``RestrictedFileTokenStore`` keeps tokens in it. No call blocks a thread of Swift's cooperative pool.
public final class RestrictedFileItems: SharedByteStore, RedactedDescription {
    /// For whom the token was issued, such as an OAuth client's id.
    public let client: String
    /// Whose it is: any name that tells this client's sessions apart.
    public let account: String

    private let files: CredentialFiles
    private let folder: SharedFolder
    private let exclusive: FileLock
    private let activity: ExclusiveActivity
    private let queue: BlockingQueue
    private let isTidy = Lock(false)
    /// How long to wait for a sibling that is exchanging the item.
    private let guardLimit: Duration

    /// Names the item; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - client: for whom the token was issued, such as an OAuth client's id; any text.
    ///   - account: whose it is; any text. Compared byte by byte, also upper and lower case.
    ///   - folder: where the files are.
    ///   - activity: what exclusive access has to be held within.
    public convenience init(
        client: String, account: String, folder: TokenFolder = .default, activity: ExclusiveActivity = .none
    ) {
        self.init(client: client, account: account, folder: folder, activity: activity, layer: SystemFileLayer())
    }

    /// The same on other calls of the system.
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
            return try files.loadWithIntent()
        }
    }

    public func save(_ item: Data) async throws {
        _ = try await save(item, ending: nil) { _, _ in true }
    }

    public func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> ItemSaveResult {
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
            // Not here: on a disk that does not answer, letting go takes as long as anything.
            return TokenStoreLock { [queue] in queue.begin { held.withLock { $0 = nil } } }
        }
        let access = Lock(ExpiringAccess())
        let giveUp = { @Sendable in
            let waiting = access.withLock { access in
                defer { access = ExpiringAccess(isOver: true) }
                return access.waiting
            }
            // The system suspends the process: it must not get access after that.
            waiting?.cancel()
        }
        let end = try await activity.begin(giveUp)
        do {
            // It brings no value: whoever ends a task can hold its value for a moment longer than the one that gives the access up.
            let waiting = Task {
                let held = try await exclusive.acquire(within: limit)
                try access.withLock { access in
                    // The time was over before its turn came: nobody would take it back.
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

    /// Lets the list of accounts leave this one out, though the item cannot be read there. What cannot be noted is listed.
    func noteEnded(_ item: Data) async {
        try? await run("note a sign-out") { try $0.noteEnded(item) }
    }

    public var changes: AsyncStream<Void>? { folder.watch.changes(of: files.token, readOn: queue) }

    // MARK: -

    private static let noMoreTime = TokenStoreError(
        .timedOut, "the system gave no more time for exclusive access; try again")

    /// Exclusive access, which the system may end.
    private struct ExpiringAccess {
        var held: FileLock.Access?
        /// Waits for a sibling.
        var waiting: Task<Void, any Error>?
        var isOver = false
    }

    /// Removes the item and all that belongs to it, when no refresh is under way.
    func removeAll(within limit: Duration) async throws {
        guard try await run("remove the token", { try $0.folder.open(making: false) != nil }) else { return }
        let lock = try await lock(within: limit)
        do {
            try await run("remove the token") { try $0.removeAll() }
        } catch {
            await lock.unlock()
            throw error
        }
        await lock.unlock()
    }

    /// - Parameter replaces: whether what is too large to be an item is in its way, rather than what it is to read.
    private func run<Value: Sendable>(
        _ purpose: String, replaces: Bool = false, _ body: @escaping @Sendable (CredentialFiles) throws -> Value
    ) async throws -> Value {
        try await queue.run(again: retry) { [files] in
            try files.naming(purpose) {
                do {
                    return try body(files)
                } catch is OversizedItem {
                    guard let place = try files.setOversizedAside(), !replaces else { return try body(files) }
                    throw TokenStoreError(
                        .corrupt,
                        "what is kept is larger than any item; its beginning was set aside as \(place); sign in again")
                }
            }
        }
    }

    /// What a process left that was ended while it saved may hold a token. Removing it locks a file for a moment.
    private func tidyOnce() {
        let isFirst = isTidy.withLock { isTidy in
            defer { isTidy = true }
            return !isTidy
        }
        if isFirst, !activity.isNeeded { try? files.removeLeftover() }
    }

    /// Other accounts go on while a sibling has the guard of this one.
    private func retry(_ error: any Error, after waited: Duration) throws -> Duration {
        guard error is GuardIsHeld else { throw error }
        guard waited < guardLimit else {
            throw TokenStoreError(
                .timedOut,
                """
                another process holds \(files.folder.path)/\(files.guardName), or is stopped with it; \
                see that it goes on, and try again
                """)
        }
        return .microseconds(Int.random(in: 500...1_000))
    }
}
