// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

/// A removed session stays removed, whether or not a sibling has been notified. A session that was lost by accident
/// does not.
@Suite(.timeLimit(.minutes(5))) struct ClearedSessionTests {
    @Test(arguments: [true, false])
    func `a sibling's next request does not bring a removed account back`(follows: Bool) async throws {
        let bench = try await FileBench(follows: follows)
        #expect(try await bench.name() == "old")
        try await bench.accounts.remove("me")
        bench.expire()
        await bench.expectSignedOut()
        #expect(bench.service.calls == 0)
        #expect(try await bench.sibling.load() == nil)
    }

    @Test(arguments: [true, false])
    func `a refresh does not bring back a token that was cleared meanwhile`(follows: Bool) async throws {
        let bench = try await FileBench(follows: follows, .heldIgnoringCancellation)
        bench.expire()
        let request = Task { try await bench.name() }
        let call = try await bench.service.nextCall()
        try await bench.sibling.clear()
        call.succeed(TestToken("late"))
        let error = await #expect(throws: NotAuthorized.self) { try await request.value }
        #expect(error?.reason == .signedOut)
        #expect(try await bench.sibling.load() == nil)
    }

    @Test(arguments: [true, false])
    func `a moved token is not spent by a process that still uses the old place`(follows: Bool) async throws {
        let bench = try await FileBench(follows: follows)
        #expect(try await bench.name() == "old")
        let new = RestrictedFileTokenStore<TestToken>(
            client: "client", account: "me", folder: .at(bench.folder.path + "/new"))
        #expect(try await bench.sibling.migrate(to: new) == .moved)
        bench.expire()
        let error = await bench.expectSignedOut()
        #expect(error?.description.contains("moved to RestrictedFileTokenStore") == true)
        #expect(bench.service.calls == 0)
        #expect(try await new.load()?.token?.name == "old")
    }

    @Test(arguments: [true, false])
    func `a sign-out after the session was removed leaves no item`(follows: Bool) async throws {
        let bench = try await FileBench(follows: follows)
        #expect(try await bench.name() == "old")
        try await bench.accounts.remove("me")
        await bench.auth.reset()
        #expect(try await bench.sibling.load() == nil)
    }

    /// The folder or the item is lost, and this process holds the only copy. The folder is moved at once: if its files
    /// were removed one by one, a reader could find the folder without its item, which is a sign-out.
    @Test(arguments: [true, false], [true, false])
    func `a token whose folder was lost, or whose item was damaged, is saved again`(follows: Bool, isFolder: Bool)
        async throws
    {
        let bench = try await FileBench(follows: follows, .token("new"))
        #expect(try await bench.name() == "old")
        if isFolder {
            try FileManager.default.moveItem(atPath: bench.folder.tokens, toPath: bench.folder.path + "/lost")
        } else {
            try bench.folder.write("damaged", to: "client,me.token")
            // The first reader sets the item aside: the sibling, or the provider that was notified.
            _ = try? await bench.sibling.load()
            #expect(bench.folder.names.contains("client,me.corrupt-1"))
        }
        bench.expire()
        #expect(try await bench.name() == "new")
        let stored = try await bench.sibling.load()
        #expect(stored?.token?.name == "new" && stored?.version.generation == 1)
    }

    /// As `rm -r` does it. What the notice of the removed token has read is read again, and is a missing folder by then.
    @Test func `a folder whose files are removed one by one ends no session`() async throws {
        let bench = try await FileBench(follows: true, .token("new"))
        #expect(try await bench.name() == "old")
        try FileManager.default.removeItem(atPath: bench.folder.file("client,me.token"))
        await bench.clock.sleeper(for: .milliseconds(500))
        try FileManager.default.removeItem(atPath: bench.folder.tokens)
        bench.expire()
        #expect(try await bench.name() == "new")
        #expect(try await bench.sibling.load()?.token?.name == "new")
    }

    @Test(arguments: [true, false])
    func `a reader is not signed out by a lost folder or a damaged item`(isFolder: Bool) async throws {
        let bench = try await FileBench(follows: false, isReader: true)
        #expect(try await bench.name() == "old")
        if isFolder {
            try FileManager.default.moveItem(atPath: bench.folder.tokens, toPath: bench.folder.path + "/lost")
        } else {
            try bench.folder.write("damaged", to: "client,me.token")
        }
        for _ in 0..<2 {
            bench.expire()
            let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
            #expect(error?.reason == .refreshedElsewhere)
        }
        try await bench.sibling.clear()
        bench.expire()
        if !isFolder { await bench.expectSignedOut() }
    }

    /// The process was killed after it had made the guard, and before the item was there.
    @Test func `a first save that was cut off is no removed session`() async throws {
        let bench = try await FileBench(follows: false, .token("new"))
        #expect(try await bench.name() == "old")
        try FileManager.default.moveItem(atPath: bench.folder.tokens, toPath: bench.folder.path + "/lost")
        try FileManager.default.createDirectory(
            atPath: bench.folder.tokens, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try bench.folder.write(Data(), to: "client,me.guard")
        #expect(try await bench.sibling.loadWithIntent().absence == .placeMissing)
        bench.expire()
        #expect(try await bench.name() == "new")
        try await bench.sibling.clear()
        #expect(try await bench.folder.store().loadWithIntent().absence == .gone)
    }

    @Test func `a token that cannot be saved again is saved with the next try`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.tokens, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let fails = Lock(true)
        let store = folder.store(
            on: ObservedFileLayer(before: { call in
                if call.function == "create", fails.withLock({ $0 }) { throw CocoaError(.fileWriteOutOfSpace) }
            }))
        let older = TokenSaveCondition.older(session: TokenVersion.test(2).session, generation: 2)
        await #expect(throws: (any Error).self) { try await store.save(.make(2), replacing: older) }
        fails.withLock { $0 = false }
        #expect(try await store.save(.make(2), replacing: older) == .saved)
        try await store.clear()
        #expect(try await store.save(.make(3), replacing: older) == .refused(nil))
    }
}

/// A provider over a store of files, and others that use its folder.
private struct FileBench {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let service: ScriptedTokenService<TestToken>
    let auth: RefreshableTokenAuthorization<TestToken>
    let sibling: RestrictedFileTokenStore<TestToken>

    var accounts: RestrictedFileAccounts { RestrictedFileAccounts(client: "client", folder: .at(folder.tokens)) }

    /// - Parameters:
    ///   - follows: whether the provider is notified of others' changes.
    ///   - isReader: whether the provider has a read-only view.
    init(follows: Bool, isReader: Bool = false, _ script: ScriptedTokenService<TestToken>.Step...) async throws {
        folder = try TemporaryFolder()
        sibling = folder.store()
        service = ScriptedTokenService(clock: clock)
        for step in script { service.append(step) }
        try await sibling.save(
            StoredToken(
                .token(TestToken("old", expiresAt: clock.now + 2)),
                version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now))
        let unwatched = UnwatchedStore(folder.store())
        let store: any TokenStore<TestToken> =
            if follows { folder.store() } else if isReader { unwatched.readOnly } else { unwatched }
        auth = RefreshableTokenAuthorization(service: service, token: nil, store: store, clock: clock)
    }

    func name() async throws -> String { try await auth.validToken().name }

    /// So little that a task which a notice has begun does not reach its deadline.
    func expire() { clock.advance(by: .seconds(2)) }

    @discardableResult
    func expectSignedOut() async -> NotAuthorized? {
        let error = await #expect(throws: NotAuthorized.self) { try await name() }
        #expect(error?.reason == .signedOut)
        return error
    }
}

/// A store without notices of changes elsewhere, as if inotify had no more watches.
struct UnwatchedStore<Base: SharedTokenStore>: SharedTokenStore {
    private let base: Base

    init(_ base: Base) { self.base = base }

    func load() async throws -> StoredToken<Base.Token>? { try await base.load() }
    func save(_ stored: StoredToken<Base.Token>) async throws { try await base.save(stored) }
    func clear() async throws { try await base.clear() }
    func lock(within limit: Duration) async throws -> TokenStoreLock { try await base.lock(within: limit) }
    func loadWithIntent() async throws -> TokenWithIntent<Base.Token> { try await base.loadWithIntent() }
    func save(
        _ stored: StoredToken<Base.Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Base.Token>> {
        try await base.save(stored, replacing: condition, ending: intent)
    }
    func setIntent(_ intent: RefreshIntent?) async throws { try await base.setIntent(intent) }
}
