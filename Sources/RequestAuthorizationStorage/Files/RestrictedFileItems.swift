// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import RequestAuthorization

/// One item in a file that only its user can open, for any number of processes on one machine.
///
///     let items = RestrictedFileItems(client: "CLIENT_ID", account: "me")
///
/// ``RestrictedFileTokenStore`` keeps tokens in it. No call blocks a thread of Swift's cooperative pool.
public final class RestrictedFileItems: SharedTokenItemStore, RedactedDescription {
    /// For whom the token was issued, such as an OAuth client's id.
    public let client: String
    /// Whose it is: any name that tells this client's sessions apart.
    public let account: String

    private let files: CredentialFiles
    private let exclusive: FileLock
    private let activity: ExclusiveActivity
    private let queue = BlockingQueue("files")
    private let isSwept = Lock(false)
    private let known = Lock(KnownIntent())

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
        layer: any FileLayer
    ) {
        (self.client, self.account, self.activity) = (client, account, activity)
        files = CredentialFiles(CredentialName(client: client, account: account), in: folder.folder(layer))
        exclusive = FileLock(files)
    }

    public func load() async throws -> Data? {
        let known = known.withLock { $0 }
        return try await run("read the token") { files in
            self.sweepOnce()
            // Who has access asks for the intent next: going to another thread and back costs more than reading it.
            guard known.access != nil, known.intent == nil else { return try files.load() }
            let (item, intent) = try files.loadBoth()
            if case .success(let intent) = intent { self.known.withLock { $0.learn(intent, in: known.access) } }
            return item
        }
    }

    public func save(_ item: Data) async throws {
        _ = try await run("save the token") { try $0.save(item) { _ in true } }
    }

    public func save(
        _ item: Data, if condition: @escaping @Sendable (Data?) throws -> Bool
    ) async throws -> Data? {
        try await save(item, endsIntent: false, if: condition)
    }

    /// - Parameter endsIntent: whether the intent is over once the item is durable. What that meets is left to `saveIntent(nil)`.
    func save(
        _ item: Data, endsIntent: Bool, if condition: @escaping @Sendable (Data?) throws -> Bool
    ) async throws -> Data? {
        let access = endsIntent ? known.withLock { $0.access } : nil
        return try await run("save the token") { files in
            try files.save(item, if: condition) { folder in
                // Only who has exclusive access changes the intent, and nobody else gets it meanwhile.
                guard let access, let lock = self.known.withLock({ $0.file(of: access) }) else { return }
                withExtendedLifetime(lock) {
                    guard (try? files.removeIntent(in: folder)) != nil else { return }
                    self.known.withLock { $0.learn(nil, in: access) }
                }
            }
        }
    }

    public func clear() async throws { try await run("remove the token") { try $0.clear() } }

    public func setAside(_ item: Data) async throws -> String? {
        try await run("set a damaged item aside") { try $0.setAside(item) }
    }

    public func loadIntent() async throws -> Data? {
        if let intent = known.withLock({ $0.intent }) { return intent }
        return try await run("read the intent") { try $0.loadIntent() }
    }

    public func saveIntent(_ intent: Data?) async throws {
        if intent == nil, known.withLock({ $0.intent }) == .some(nil) { return }
        known.withLock { $0.forget() }
        try await run("write the intent") { try $0.saveIntent(intent) }
    }

    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        let access = Lock(Access())
        let giveUp = { @Sendable [known] in
            access.withLock { access in
                if let number = access.number { known.withLock { $0.end(number) } }
                access = Access(isOver: true)
            }
        }
        let end = try await activity.begin(giveUp)
        do {
            let file = try await exclusive.acquire(within: limit)
            try access.withLock { access in
                // The time was over before its turn came: nobody would take it back.
                guard !access.isOver else {
                    throw TokenStoreError(.timedOut, "the system gave no more time for exclusive access; try again")
                }
                access.file = file
                access.number = known.withLock { $0.begin(file) }
            }
        } catch {
            end()
            throw error
        }
        return TokenStoreLock {
            giveUp()
            end()
        }
    }

    public var changes: AsyncStream<Void>? { ItemWatch.stream(of: files, on: queue) }

    // MARK: -

    /// Exclusive access, for as long as its file is open.
    private struct Access {
        var file: OpenFile?
        var number: Int?
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

    private func run<Value: Sendable>(
        _ purpose: String, _ body: @escaping @Sendable (CredentialFiles) throws -> Value
    ) async throws -> Value {
        try await queue.run { [files] in try files.naming(purpose) { try body(files) } }
    }

    /// What a process left that was ended while it saved may hold a token.
    private func sweepOnce() {
        let isFirst = isSwept.withLock { isSwept in
            defer { isSwept = true }
            return !isSwept
        }
        if isFirst { try? files.sweep() }
    }
}
