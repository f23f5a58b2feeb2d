// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program that holds a token goes on when the stored item is damaged, and saves the token again.
@Suite(.timeLimit(.minutes(5))) struct DamagedItemTests {
    /// A store for one process, one for several, and one that encrypts.
    enum Kind: CaseIterable {
        case plain, shared
        #if Crypto
        case encrypted
        #endif
    }

    /// Half of the item, or none of it.
    @Test(arguments: Kind.allCases, [2, 1_000_000])
    func `a refresh goes on, and its token replaces the damaged item`(kind: Kind, divisor: Int) async throws {
        let bench = try await DamageBench(kind, follows: false, .token("new"))
        #expect(try await bench.name() == "old")
        try bench.truncate(to: bench.item.count / divisor)
        bench.expire()
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 1)
        #expect(try await bench.stored() == "new")
        // A plain store is not read before a refresh, and has no item to set aside when it saves.
        #expect(bench.folder.names.contains("client,me.corrupt-1") == (kind != .plain && divisor == 2))
    }

    @Test(arguments: Kind.allCases)
    func `a refresh that fails saves the held token again`(kind: Kind) async throws {
        struct Offline: Error {}
        // A plain store is not read before a refresh.
        guard kind != .plain else { return }
        let bench = try await DamageBench(kind, follows: false, .failure(Offline()))
        #expect(try await bench.name() == "old")
        try bench.truncate()
        bench.expire()
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        #expect(error?.underlying is Offline)
        try await bench.auth.settle(within: .seconds(30))
        #expect(try await bench.stored() == "old")
        #expect(bench.folder.content(of: "client,me.corrupt-1") == bench.damaged)
    }

    @Test(arguments: Kind.allCases)
    func `a damaged item is set aside at a notice, and the held token is saved again`(kind: Kind) async throws {
        let bench = try await DamageBench(kind, follows: true)
        var events = bench.auth.events.makeAsyncIterator()
        #expect(try await bench.name() == "old")
        var changes = try #require(bench.folder.store().changes).makeAsyncIterator()
        _ = try? await bench.stored()
        try bench.replaceByDamage()
        repeat { #expect(await changes.next() != nil) } while bench.isDamaged
        #expect(try await bench.stored() == "old")
        #expect(bench.folder.content(of: "client,me.corrupt-1") == bench.damaged)
        // The event says what happened.
        var event = await events.next()
        while let next = event, next.kind != .saveFailed { event = await events.next() }
        #expect((event?.error as? TokenStoreError)?.kind == .corrupt)
        #expect(try await bench.name() == "old" && bench.service.calls == 0)
    }

    @Test(arguments: Kind.allCases)
    func `the server's end of the session counts, whatever the store holds`(kind: Kind) async throws {
        let bench = try await DamageBench(kind, follows: false, .failure(NotAuthorized(.rejected)))
        #expect(try await bench.name() == "old")
        try bench.truncate()
        bench.expire()
        let error = await #expect(throws: NotAuthorized.self) { try await bench.name() }
        #expect(error?.reason == .rejected)
        try await bench.auth.settle(within: .seconds(30))
        #expect(try await bench.stored() == nil)
    }

    @Test(arguments: Kind.allCases)
    func `with nothing in memory the error says what happened`(kind: Kind) async throws {
        let bench = try await DamageBench(kind, follows: true)
        try bench.truncate()
        let error = await #expect(throws: RefreshFailed.self) { try await bench.name() }
        let reason = error?.underlying as? TokenStoreError
        #expect(reason?.kind == .corrupt)
        for text in [bench.folder.file("client,me.corrupt-1"), "sign in again"] {
            #expect(reason?.detail.contains(text) == true, "\(text)")
        }
        #expect(bench.service.calls == 0)
    }

    @Test func `another process saves its token again, also if this one was first to read the damage`() async throws {
        for readsFirst in [false, true] {
            let folder = try TemporaryFolder()
            let other = try SecondProcess("sign-in", folder.tokens)
            #expect(try await other.line() == "signed in")
            let item = try #require(folder.content(of: "client,me.token"))
            let damaged = item.prefix(item.count / 2)
            let store = folder.store()
            var changes = try #require(store.changes).makeAsyncIterator()
            #expect(try await store.load()?.token?.name == "from-another-process")
            if readsFirst {
                // Without a notice, this process is first, unless a notice of the sign-in comes late.
                try folder.truncate("client,me.token", to: damaged.count)
                _ = try? await store.load()
            } else {
                try folder.replace("client,me.token", by: damaged)
            }
            while folder.content(of: "client,me.token") != item { #expect(await changes.next() != nil) }
            #expect(folder.content(of: "client,me.corrupt-1") == damaged)
            #expect(try await store.load()?.token?.name == "from-another-process")
            try other.endInput()
            #expect(try await other.line() == "signed out")
            #expect(try await store.load()?.token == nil)
        }
    }
}

/// A provider over one file.
private struct DamageBench {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let service: ScriptedTokenService<TestToken>
    let auth: RefreshableTokenAuthorization<TestToken>
    /// The item as it was saved.
    let item: Data
    private let kind: DamagedItemTests.Kind

    init(_ kind: DamagedItemTests.Kind, follows: Bool, _ script: ScriptedTokenService<TestToken>.Step...) async throws {
        (folder, self.kind) = (try TemporaryFolder(), kind)
        service = ScriptedTokenService(clock: clock)
        for step in script { service.append(step) }
        var store = try Self.store(kind, in: folder, follows: follows)
        try await store.save(
            StoredToken(
                .token(TestToken("old", expiresAt: clock.now + 2)),
                version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now))
        item = folder.content(of: "client,me.token") ?? Data()
        if !follows, let shared = store as? any SharedTokenStore<TestToken> { store = Self.unwatched(shared) }
        auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: store, policy: .init(backOff: .init(patience: .zero)), clock: clock)
    }

    private static func unwatched(_ store: some SharedTokenStore<TestToken>) -> any TokenStore<TestToken> {
        UnwatchedStore(store)
    }

    var damaged: Data { item.prefix(item.count / 2) }
    var isDamaged: Bool {
        let content = folder.content(of: "client,me.token")
        return content == nil || content?.isEmpty == true || content == damaged
    }

    func name() async throws -> String { try await auth.validToken().name }
    func expire() { clock.advance(by: .seconds(2)) }

    /// What another process loads.
    func stored() async throws -> String? { try await Self.store(kind, in: folder).load()?.token?.name }

    /// In place, which no notice reports.
    func truncate(to count: Int? = nil) throws {
        try folder.truncate("client,me.token", to: count ?? item.count / 2)
    }

    func replaceByDamage() throws { try folder.replace("client,me.token", by: damaged) }

    private static func store(
        _ kind: DamagedItemTests.Kind, in folder: TemporaryFolder, follows: Bool = true
    ) throws -> any TokenStore<TestToken> {
        let items = RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens))
        switch kind {
        case .plain: return PlainFileStore(items: items, follows: follows)
        case .shared: return RestrictedFileTokenStore(items)
        #if Crypto
        case .encrypted:
            return EncryptedTokenStore<TestToken, _>(around: items, key: try .bytes(Data(repeating: 7, count: 32)))
        #endif
        }
    }
}

/// A store for one process.
private struct PlainFileStore: CodableTokenStore {
    typealias Token = TestToken

    let items: RestrictedFileItems
    let follows: Bool

    var changes: AsyncStream<Void>? { follows ? items.changes : nil }
}

extension TemporaryFolder {
    /// Cuts a file off in place. The system's notices do not report this.
    fileprivate func truncate(_ name: String, to count: Int) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: file(name)))
        try handle.truncate(atOffset: UInt64(count))
        try handle.close()
    }

    /// Replaces a file in one step, as a program that restores a backup does.
    fileprivate func replace(_ name: String, by data: Data) throws {
        try write(data, to: "replacement")
        guard rename(file("replacement"), file(name)) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
