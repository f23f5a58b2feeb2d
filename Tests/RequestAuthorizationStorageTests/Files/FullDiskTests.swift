// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@_spi(FileLayer) @testable import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A disk that is full for a while, and siblings that wait for it.
@Suite(.timeLimit(.minutes(5))) struct FullDiskTests {
    @Test(arguments: [true, false])
    func `an idle holder saves its token once there is space, and siblings go on within six seconds`(
        follows: Bool
    ) async throws {
        let bench = try await FullDisk(follows: follows, .token("new"))
        bench.clock.advance(by: .seconds(100))
        var events = bench.auth.events.makeAsyncIterator()
        bench.isFull.withLock { $0 = true }
        #expect(try await bench.auth.validToken().name == "new")
        // No request comes to the holder from here on. It tries by itself every five seconds.
        for _ in 0..<4 {
            await bench.failure(&events)
            bench.clock.advance(by: .seconds(5))
        }
        await bench.failure(&events)
        #expect(try await bench.plain.load()?.token?.name == "old")
        let sibling = bench.sibling()
        let request = Task { try await sibling.validToken().name }
        try await bench.siblingWaits.value()
        bench.isFull.withLock { $0 = false }
        bench.clock.advance(by: .seconds(5))
        #expect(try await request.value == "new")
        #expect(bench.service.calls == 1)
        // The sibling may see the token before its holder has removed the intent.
        try await bench.auth.settle(within: .seconds(30))
        #expect(try await bench.plain.openIntent() == nil)
    }

    @Test(arguments: [true, false])
    func `signing out on a full disk signs all processes out`(isEncrypted: Bool) async throws {
        let bench = try await FullDisk(follows: false)
        let store: any SharedTokenStore<TestToken> = isEncrypted ? try bench.sealed() : bench.store
        if isEncrypted { try await store.save(.make(1)) }
        let auth = RefreshableTokenAuthorization(
            service: bench.service, token: nil, store: store, clock: bench.clock, random: { 1 })
        _ = try await auth.tokenAtHand()
        _ = try? await auth.validToken()
        bench.isFull.withLock { $0 = true }
        var events = auth.events.makeAsyncIterator()
        await auth.reset()
        while let event = await events.next(), event.kind != .clearFailed {}
        #expect(try await store.load() == nil)
        #expect(!bench.folder.names.contains("client,me.token"))
    }

    @Test func `a sign-out on a full disk leaves a sign-in that it finds`() async throws {
        let bench = try await FullDisk(follows: false)
        try await bench.plain.save(.make(7))
        bench.isFull.withLock { $0 = true }
        let tombstone = StoredToken<TestToken>(
            .signedOut, version: TokenVersion(session: UUID(), generation: 2), obtainedAt: .now)
        #expect(
            try await bench.store.save(tombstone, replacing: .session(tombstone.version.session)) == .refused(.make(7)))
        #expect(try await bench.plain.load() == .make(7))
    }
}

private struct FullDisk {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let isFull: Lock<Bool>
    let siblingWaits = OneShot<Void>()
    let service: ScriptedTokenService<TestToken>
    let store: RestrictedFileTokenStore<TestToken>
    let plain: RestrictedFileTokenStore<TestToken>
    let auth: RefreshableTokenAuthorization<TestToken>
    private let layer: ObservedFileLayer
    private let follows: Bool

    init(follows: Bool, _ script: ScriptedTokenService<TestToken>.Step...) async throws {
        let (folder, isFull) = (try TemporaryFolder(), Lock(false))
        (self.folder, self.isFull, self.follows) = (folder, isFull, follows)
        layer = ObservedFileLayer(before: { call in
            let isWriting = call.function == "create" || call.function == "write" && !call.name.hasSuffix(".intent")
            if isWriting, isFull.withLock({ $0 }) { throw FileError("write", ENOSPC) }
        })
        plain = folder.store()
        store = folder.store(on: layer)
        service = ScriptedTokenService(clock: clock)
        for step in script { service.append(step) }
        try await plain.save(
            StoredToken(
                .token(TestToken("old", expiresAt: clock.now + 100)),
                version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now))
        let shared: any TokenStore<TestToken> = follows ? store : UnwatchedStore(store)
        auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: shared, clock: clock, random: { 1 })
    }

    /// Suspends until a save has failed.
    func failure(_ events: inout AuthorizationEvents.AsyncIterator) async {
        while let event = await events.next(), event.kind != .saveFailed {}
    }

    /// Another process, which tells when it waits for access.
    func sibling() -> RefreshableTokenAuthorization<TestToken> {
        let store = folder.store(
            on: ObservedFileLayer(before: { [siblingWaits] call in
                if call.function == "lock", call.name.hasSuffix(".lock") { siblingWaits.fulfill() }
            }))
        let shared: any TokenStore<TestToken> = follows ? store : UnwatchedStore(store)
        return RefreshableTokenAuthorization(
            service: service, token: nil, store: shared, clock: clock, random: { 1 })
    }

    func sealed() throws -> any SharedTokenStore<TestToken> {
        #if canImport(CryptoKit) || Crypto
        let items = RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens), layer: layer)
        try FileManager.default.removeItem(atPath: folder.file("client,me.token"))
        return EncryptedTokenStore<TestToken, _>(around: items, key: try .bytes(Data(repeating: 7, count: 32)))
        #else
        return store
        #endif
    }
}
