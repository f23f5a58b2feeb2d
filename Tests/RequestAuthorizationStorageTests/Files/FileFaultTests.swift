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

/// A disk that is full, fails, is read-only or hangs.
@Suite(.timeLimit(.minutes(5))) struct FileFaultTests {
    @Test func `a save creates, writes, syncs, renames and syncs the folder, in that order`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let calls = Lock<[String]>([])
        let store = folder.store(
            on: ObservedFileLayer(after: { call in calls.withLock { $0.append("\(call.function) \(call.name)") } }))
        try await store.save(.make(2))
        let changing: Set = ["create", "write", "sync", "syncData", "rename"]
        #expect(
            calls.withLock { $0 }.filter { call in changing.contains { call.hasPrefix($0 + " ") } } == [
                "create client,me.new", "write client,me.new", "sync client,me.new", "rename client,me.token", "sync .",
            ])
    }

    @Test func `no file is open to others at any moment of a save`() async throws {
        let folder = try TemporaryFolder()
        let modes = Lock<Set<Int>>([])
        let store = folder.store(
            on: ObservedFileLayer(after: { _ in
                for name in folder.names {
                    let mode = try TemporaryFolder.mode(of: folder.file(name))
                    modes.withLock { _ = $0.insert(mode) }
                }
            }))
        try await store.save(.make(1))
        try await store.setIntent(RefreshIntent(session: UUID(), generation: 1, beganAt: .now))
        try await store.save(.make(2))
        #expect(modes.withLock { $0 } == [0o600])
    }

    @Test func `an intent is overwritten where it is, and synced, after the name of the token`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let calls = Lock<[String]>([])
        let store = folder.store(
            on: ObservedFileLayer(after: { call in calls.withLock { $0.append("\(call.function) \(call.name)") } }))
        try await store.setIntent(RefreshIntent(session: UUID(), generation: 1, beganAt: .now))
        #expect(
            calls.withLock { $0 } == [
                "openFolder .", "status client,me.guard", "open client,me.guard", "lock client,me.guard",
                "status client,me.guard", "open client,me.intent", "status client,me.token", "sync .",
                "write client,me.intent", "syncData client,me.intent",
            ])
    }

    /// Each call of a save fails once, in each way.
    @Test(arguments: [ENOSPC, EDQUOT, EROFS, EIO, EACCES])
    func `if any call of a save fails, the old token stays and the next save succeeds`(code: CInt) async throws {
        let kinds: [CInt: TokenStoreError.Kind] = [
            ENOSPC: .noSpace, EDQUOT: .noSpace, EROFS: .readOnly, EIO: .failed, EACCES: .readOnly,
        ]
        var failures = 0
        for number in 1... {
            let folder = try TemporaryFolder()
            try await folder.store().save(.make(1))
            let plan = FaultPlan(failing: number, with: code)
            let store = folder.store(on: ObservedFileLayer(before: { try plan.take($0) }))
            do {
                try await store.save(.make(2))
                guard !plan.hasFailed else { continue }
                break
            } catch let error as TokenStoreError {
                failures += 1
                #expect(error.kind == kinds[code])
                #expect(!"\(error)".contains("test-credential"))
                // After the rename the new token is in place, and not yet durable.
                let last = plan.failed == FileCall(function: "sync", name: ".")
                #expect(try await folder.store().load() == .make(last ? 2 : 1), "\(String(describing: plan.failed))")
                #expect(!folder.names.contains { $0.hasSuffix(".new") })
                try await store.save(.make(2))
                #expect(try await folder.store().load() == .make(2))
            }
        }
        #expect(failures >= 8)
    }

    @Test(arguments: [ENOLCK, ENOTSUP, ESTALE])
    func `a disk of the network that keeps no locks is named as the cause`(code: CInt) async throws {
        let folder = try TemporaryFolder()
        let store = folder.store(
            on: ObservedFileLayer(before: { if $0.function == "lock" { throw FileError("flock", code) } }))
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make(1)) }
        #expect(error?.kind == .failed && error?.detail.contains("use a local disk") == true)
    }

    @Test func `a token whose folder could not be synced is written again, although it is in place`() async throws {
        try await checkWrittenAgain { RestrictedFileTokenStore<TestToken>($0) }
    }

    #if canImport(CryptoKit) || Crypto
    @Test func `an encrypted token whose folder could not be synced is written again too`() async throws {
        let key = try TokenKey.bytes(Data(repeating: 7, count: 32))
        try await checkWrittenAgain { EncryptedTokenStore<TestToken, _>(around: $0, key: key) }
    }
    #endif

    private func checkWrittenAgain(
        _ store: (RestrictedFileItems) -> some SharedTokenStore<TestToken>
    ) async throws {
        let folder = try TemporaryFolder()
        let condition = TokenSaveCondition.older(session: TokenVersion.test(0).session, generation: 2)
        try await store(folder.store().items).save(.make(1))
        let calls = Lock<[FileCall]>([])
        let layer = ObservedFileLayer(before: { call in
            let isFirst = calls.withLock { calls in
                calls.append(call)
                return calls.count { $0.function == "sync" && $0.name == "." } == 1
            }
            if isFirst, call.function == "sync", call.name == "." { throw FileError("fsync", EIO) }
        })
        let failing = store(
            RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens), layer: layer))
        await #expect(throws: TokenStoreError.self) { try await failing.save(.make(2), replacing: condition) }
        #expect(try await failing.save(.make(2), replacing: condition) == .saved)
        #expect(calls.withLock { $0.count { $0.function == "create" } } == 2)
    }

    @Test func `a sign-out over a damaged item on a full disk says that the disk is full`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        try folder.write("damaged", to: "client,me.token")
        let store = folder.store(
            on: ObservedFileLayer(before: { call in
                if ["create", "rename"].contains(call.function) { throw FileError("openat", ENOSPC) }
            }))
        let ended = StoredToken<TestToken>(.signedOut, version: .test(2), obtainedAt: .now)
        for condition in [TokenSaveCondition.anything, .session(ended.version.session)] {
            let error = await #expect(throws: TokenStoreError.self) {
                try await store.save(ended, replacing: condition)
            }
            #expect(error?.kind == .noSpace)
        }
    }

    @Test func `the session goes on from memory, and the save is tried again`() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let isFull = Lock(false)
        let store = folder.store(
            on: ObservedFileLayer(before: { call in
                if call.function == "create", isFull.withLock({ $0 }) { throw FileError("openat", ENOSPC) }
            }))
        let first = TestToken("first", expiresAt: clock.now + 10)
        try await store.save(StoredToken(.token(first), version: .test(1), obtainedAt: clock.now))
        let service = ScriptedTokenService<TestToken>(clock: clock, .token("second", lasts: .seconds(1000)))
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
        #expect(try await auth.validToken().name == "first")
        clock.advance(by: .seconds(11))
        isFull.withLock { $0 = true }
        var events = auth.events.makeAsyncIterator()
        #expect(try await auth.validToken().name == "second")
        while let event = await events.next() {
            guard event.kind == .saveFailed else { continue }
            #expect((event.error as? TokenStoreError)?.kind == .noSpace)
            break
        }
        let sibling = folder.store()
        #expect(try await sibling.load()?.token == first)
        #expect(try await sibling.openIntent()?.generation == 1)

        var news = try #require(sibling.changes).makeAsyncIterator()
        _ = try await sibling.load()
        isFull.withLock { $0 = false }
        clock.advance(by: .seconds(2))
        #expect(try await auth.validToken().name == "second")
        #expect(await news.next() != nil)
        #expect(try await sibling.load()?.token?.name == "second")
        // Exclusive access was held until then.
        try await sibling.lock(within: .seconds(30)).unlock()
        #expect(try await sibling.openIntent() == nil)
        #expect(service.calls == 1)
    }

    @Test func `a disk that hangs delays neither the lock's deadline nor cancelled callers`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let gate = DispatchSemaphore(value: 0)
        let store = folder.store(on: ObservedFileLayer(before: { if $0.name == "client,me.lock" { gate.wait() } }))
        let error = await #expect(throws: TokenStoreError.self) { try await store.lock(within: .milliseconds(20)) }
        #expect(error?.kind == .timedOut)
        let task = Task { try await store.lock(within: .seconds(60)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for _ in 0..<1000 { gate.signal() }
        try await folder.store().lock(within: .seconds(10)).unlock()
    }
}

extension TemporaryFolder {
    func store(on layer: any FileLayer) -> RestrictedFileTokenStore<TestToken> {
        RestrictedFileTokenStore(
            RestrictedFileItems(client: "client", account: "me", folder: .at(tokens), layer: layer))
    }
}

/// Fails the call with this number, of those that change files.
private final class FaultPlan: Sendable {
    private let state: Lock<(left: Int, failed: FileCall?)>
    private let code: CInt

    init(failing number: Int, with code: CInt) {
        state = Lock((number, nil))
        self.code = code
    }

    var failed: FileCall? { state.withLock(\.failed) }
    var hasFailed: Bool { failed != nil }

    func take(_ call: FileCall) throws {
        let fails = state.withLock { state in
            state.left -= 1
            if state.left == 0 { state.failed = call }
            return state.left == 0
        }
        if fails { throw FileError(call.function, code) }
    }
}
