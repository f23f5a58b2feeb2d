// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@testable import RequestAuthorizationStorage

@Suite struct EncryptedTokenStoreTests {
    private typealias Store = EncryptedTokenStore<TestToken, InMemoryItems>

    private static let key = Result { try TokenKey.bytes([UInt8](0..<32), id: "one") }
    private static let otherKey = Result { try TokenKey.bytes([UInt8](1..<33), id: "two") }
    /// A different key of the same name.
    private static let impostor = Result { try TokenKey.bytes([UInt8](2..<34), id: "one") }

    private func store(
        _ items: InMemoryItems, key: TokenKey? = nil, old: [TokenKey] = [], cipher: TokenCipher = .aesGCM,
        client: String = "CLIENT_ID", account: String = "ada"
    ) throws -> Store {
        Store(
            around: items, key: try key ?? Self.key.get(), oldKeys: old, cipher: cipher, client: client,
            account: account)
    }

    @Test(arguments: [TokenCipher.aesGCM, .chaChaPoly])
    func `the store passes the checks of a shared store`(cipher: TokenCipher) async throws {
        try await SharedTokenStoreChecks<Store> {
            let items = InMemoryItems()
            return (try store(items, cipher: cipher), try store(items.sibling(), cipher: cipher))
        }.run()
        try await TokenStoreChecks<Store>(
            reopened: { try store($0.items.sibling(), cipher: cipher) }, { try store(InMemoryItems(), cipher: cipher) }
        ).run()
    }

    @Test func `around a store of one process it passes the checks of such a store`() async throws {
        try await TokenStoreChecks<EncryptedTokenStore<TestToken, PlainItems>> {
            EncryptedTokenStore(
                around: PlainItems(InMemoryItems()), key: try Self.key.get(), client: "CLIENT_ID", account: "ada")
        }.run()
    }

    @Test func `a password can be the key`() async throws {
        let key = try GoldenEnvelope.passwordKey.get()
        try await SharedTokenStoreChecks<Store> {
            let items = InMemoryItems()
            return (try store(items, key: key), try store(items.sibling(), key: key))
        }.run()
    }

    // MARK: The stored item

    @Test func `no part of the token is readable in the stored item`() async throws {
        let items = InMemoryItems()
        let stored = StoredToken<TestToken>.make(1)
        let name = try #require(stored.token?.name)
        for key in [try Self.key.get(), try GoldenEnvelope.passwordKey.get()] {
            let here = try store(items, key: key)
            try await items.clear()
            try await here.save(stored)
            let item = try #require(items.item)
            for offset in 0..<3 {
                // For each of three offsets in Base64 a part of the name's text is the same.
                let text = Data(String(repeating: "x", count: offset).utf8) + Data(name.utf8)
                let inner = text.base64EncodedString().dropFirst(4).dropLast(4)
                #expect(!item.contains(inner.utf8) && !item.base64EncodedString().contains(inner))
            }
            for text in [name, "test-credential", "expiresAt", "status"] { #expect(!item.contains(text.utf8)) }
            #expect(item.contains("CLIENT_ID".utf8))
        }
    }

    @Test func `the same token is never sealed the same way twice`() async throws {
        let items = InMemoryItems()
        let store = try store(items)
        var seen: Set<Data> = []
        for _ in 0..<100 {
            try await store.save(.make(1))
            seen.insert(try #require(items.item))
        }
        #expect(seen.count == 100)
    }

    // MARK: Wrong keys

    @Test func `another key is an error for each call, and nothing is replaced`() async throws {
        for wrong in [try Self.otherKey.get(), try Self.impostor.get(), try GoldenEnvelope.passwordKey.get()] {
            let items = InMemoryItems()
            try await store(items).save(.make(1))
            let item = items.item
            let wrong = try store(items, key: wrong)
            try await expectError(.wrongKey) { try await wrong.load() }
            try await expectError(.wrongKey) { try await wrong.save(.make(2)) }
            try await expectError(.wrongKey) { try await wrong.save(.make(2), replacing: .anything) }
            try await expectError(.wrongKey) {
                try await wrong.save(.make(2), replacing: .session(TokenVersion.test(1).session))
            }
            try await expectError(.wrongKey) { try await wrong.reencrypt() }
            #expect(items.item == item && items.aside == [])
            #expect(try await store(items).load() == .make(1))
            try await wrong.clear()
            #expect(items.item == nil)
        }
    }

    @Test func `an envelope of another client or account is refused and stays`() async throws {
        let items = InMemoryItems()
        try await store(items).save(.make(1))
        let item = items.item
        for stranger in [
            try store(items, client: "OTHER"), try store(items, account: "bob"),
            try store(items, client: "ada", account: "CLIENT_ID"),
            try store(items, client: "CLIENT_I", account: "Dada"),
        ] {
            try await expectError(.unreadable) { try await stranger.load() }
            try await expectError(.unreadable) { try await stranger.save(.make(2)) }
        }
        #expect(items.item == item && items.aside == [])
    }

    /// A change of client, account, session or generation is detected by the tag.
    @Test func `an envelope that was rewritten for another is refused`() async throws {
        let golden = try GoldenEnvelope.aesGCM()
        let header = try Envelope(golden.item).header
        var forgeries: [EnvelopeHeader] = []
        for owner in [EnvelopeOwner(client: "CLIENT_ID", account: "bob"), EnvelopeOwner(client: "X", account: "ada")] {
            var forgery = header
            forgery.owner = owner
            forgeries.append(forgery)
        }
        for version in [
            TokenVersion(session: UUID(), generation: 3),
            TokenVersion(session: GoldenEnvelope.session, generation: 4),
        ] {
            var forgery = header
            forgery.version = version
            forgeries.append(forgery)
        }
        for forgery in forgeries {
            let item = Data(forgery.bytes) + golden.item.dropFirst(header.bytes.count)
            let items = InMemoryItems(item)
            let owner = forgery.owner
            let victim = try store(
                items, key: golden.key, client: String(decoding: owner.client, as: UTF8.self),
                account: String(decoding: owner.account, as: UTF8.self))
            try await expectError(.corrupt) { try await victim.load() }
            #expect(items.aside == [item])
        }
    }

    // MARK: Rotation

    @Test func `an old key still opens, and the next save takes the new one`() async throws {
        let items = InMemoryItems()
        try await store(items).save(.make(1))
        let rotated = try store(items, key: Self.otherKey.get(), old: [Self.key.get()])
        #expect(try await rotated.load() == .make(1))
        #expect(try Envelope(#require(items.item)).header.keyID == Array("one".utf8))
        #expect(
            try await rotated.save(.make(2), replacing: .older(session: TokenVersion.test(2).session, generation: 2))
                == .saved)
        #expect(try Envelope(#require(items.item)).header.keyID == Array("two".utf8))
        #expect(try await store(items, key: Self.otherKey.get()).load() == .make(2))
        try await expectError(.wrongKey) { try await store(items).load() }
    }

    @Test func `keys of one name are told apart`() async throws {
        let items = InMemoryItems()
        try await store(items).save(.make(1))
        let rotated = try store(items, key: Self.impostor.get(), old: [Self.key.get()])
        #expect(try await rotated.load() == .make(1))
        #expect(try await rotated.reencrypt())
        #expect(try await store(items, key: Self.impostor.get()).load() == .make(1))
        #expect(try await !rotated.reencrypt())
    }

    @Test func `encrypting again changes only outdated items`() async throws {
        let items = InMemoryItems()
        #expect(try await !store(items).reencrypt())
        #expect(items.item == nil)
        try await store(items).save(.make(1))
        let item = items.item
        #expect(try await !store(items, old: [Self.otherKey.get()]).reencrypt())
        #expect(items.item == item)
        #expect(try await store(items, cipher: .chaChaPoly).reencrypt())
        #expect(try Envelope(#require(items.item)).header.cipher == .chaChaPoly)
        #expect(try await store(items).load() == .make(1))
        items.item = Data("RASE".utf8)
        try await expectError(.corrupt) { try await store(items).reencrypt() }
    }

    /// A re-encryption reads, seals and writes: a save in between must not be lost.
    @Test func `encrypting again does not overwrite a save that comes meanwhile`() async throws {
        for sibling in [true, false] {
            let inner = InMemoryItems()
            try await store(inner).save(.make(1))
            let items = InterruptedItems(inner)
            let rotated = EncryptedTokenStore<TestToken, _>(
                around: items, key: try Self.otherKey.get(), oldKeys: [try Self.key.get()], client: "CLIENT_ID",
                account: "ada")
            items.interrupt {
                if sibling { try await store(inner).save(.make(2)) } else { try await inner.clear() }
            }
            #expect(try await rotated.reencrypt() == sibling)
            #expect(try await rotated.load() == (sibling ? .make(2) : nil))
        }
    }

    @Test func `encrypting again and saving take turns where the store below has no order`() async throws {
        let items = SlowItems(InMemoryItems())
        func store(_ key: TokenKey, old: [TokenKey] = []) -> EncryptedTokenStore<TestToken, SlowItems> {
            EncryptedTokenStore(around: items, key: key, oldKeys: old, client: "CLIENT_ID", account: "ada")
        }
        try await store(Self.key.get()).save(.make(1))
        let rotated = store(try Self.otherKey.get(), old: [try Self.key.get()])
        items.stallsNext()
        async let encrypted = rotated.reencrypt()
        await items.isStalling()
        try await rotated.save(.make(2))
        _ = try await encrypted
        #expect(try await rotated.load() == .make(2))
    }

    @Test func `a sibling's token that came between look and save is not replaced by an older one`() async throws {
        let inner = InMemoryItems()
        try await store(inner).save(.make(1))
        let items = InterruptedItems(inner)
        let slow = EncryptedTokenStore<TestToken, _>(
            around: items, key: try Self.key.get(), client: "CLIENT_ID", account: "ada")
        items.interrupt { try await store(inner).save(.make(3)) }
        let session = TokenVersion.test(1).session
        let result = try await slow.save(.make(2), replacing: .older(session: session, generation: 2))
        #expect(result == .refused(.make(3)))
        #expect(try await slow.load() == .make(3))
    }

    /// The item was set aside, and the key takes its time. Meanwhile a sibling signs in and out.
    @Test func `a sibling's sign-out that came between look and save stays`() async throws {
        let inner = InMemoryItems(Data("damaged".utf8))
        _ = try await inner.setAside(Data("damaged".utf8))
        let items = InterruptedItems(inner)
        let slow = EncryptedTokenStore<TestToken, _>(
            around: items, key: try Self.key.get(), client: "CLIENT_ID", account: "ada")
        items.interrupt {
            try await store(inner).save(.make(1))
            try await inner.clear()
        }
        let older = TokenSaveCondition.older(session: TokenVersion.test(1).session, generation: 2)
        #expect(try await slow.save(.make(2), replacing: older) == .refused(nil))
        #expect(try await slow.load() == nil)
    }

    // MARK: Damage

    @Test func `a damaged envelope is set aside and reported, once`() async throws {
        let item = try GoldenEnvelope.aesGCM().item
        for damaged in [item.dropLast(), item + [0], Data("no envelope".utf8), Data(count: Envelope.limit + 1)] {
            let items = InMemoryItems(damaged)
            let store = try store(items)
            let error = await #expect(throws: TokenStoreError.self) { try await store.load() }
            #expect(error?.kind == .corrupt)
            #expect(error?.detail.contains("set aside as aside-1") == true)
            #expect(items.aside == [damaged])
            #expect(try await store.load() == nil)
        }
    }

    @Test func `a save over a damaged envelope sets it aside first`() async throws {
        for condition in [TokenSaveCondition.anything, .session(TokenVersion.test(1).session)] {
            let items = InMemoryItems(Data("damaged".utf8))
            #expect(try await store(items).save(.make(1), replacing: condition) == .saved)
            #expect(items.aside == [Data("damaged".utf8)])
            #expect(try await store(items).load() == .make(1))
        }
    }

    @Test func `an envelope that cannot be set aside is not replaced`() async throws {
        let items = InMemoryItems(Data("damaged".utf8))
        let store = EncryptedTokenStore<TestToken, _>(
            around: PlainItems(items), key: try Self.key.get(), client: "CLIENT_ID", account: "ada")
        try await expectError(.corrupt) { try await store.load() }
        try await expectError(.corrupt) { try await store.save(.make(1)) }
        #expect(items.item == Data("damaged".utf8))
        try await store.clear()
        try await store.save(.make(1))
        #expect(try await store.load() == .make(1))
    }

    @Test func `an envelope of a later version makes room for a sign-in only`() async throws {
        var item = try GoldenEnvelope.aesGCM().item
        item[8] = 2
        let items = InMemoryItems(item)
        let store = try store(items)
        try await expectError(.unreadable) { try await store.load() }
        try await expectError(.unreadable) {
            try await store.save(.make(1), replacing: .session(TokenVersion.test(1).session))
        }
        #expect(items.item == item)
        #expect(try await store.save(.make(1), replacing: .anything) == .saved)
        #expect(items.aside == [item])
    }

    @Test func `a token of another type stays sealed wherever it is moved`() async throws {
        let items = InMemoryItems()
        try await store(items).save(.make(1))
        let item = items.item
        let other = EncryptedTokenStore<OtherToken, _>(
            around: items, key: try Self.key.get(), client: "CLIENT_ID", account: "ada")
        try await expectError(.unreadable) { try await other.load() }
        #expect(items.item == item)
        try await other.save(StoredToken(.token(OtherToken(other: 1)), version: .test(2), obtainedAt: .now))
        #expect(items.aside == [item].compactMap(\.self))
    }

    @Test func `a plain token is neither used nor replaced`() async throws {
        let items = InMemoryItems()
        try await InMemoryCodableTokenStore<TestToken>(items).save(.make(1))
        let item = items.item
        try await expectError(.unreadable) { try await store(items).load() }
        try await expectError(.unreadable) { try await store(items).save(.make(2)) }
        #expect(items.item == item && items.aside == [])
    }

    @Test func `errors of the store below are thrown`() async throws {
        struct Locked: Error {}
        let items = InMemoryItems()
        let store = try store(items)
        try await store.save(.make(1))
        items.fail(load: Locked())
        await #expect(throws: Locked.self) { try await store.load() }
        await #expect(throws: Locked.self) { try await store.save(.make(2)) }
        await #expect(throws: Locked.self) { try await store.reencrypt() }
    }

    @Test func `a token too large is refused before anything is replaced`() async throws {
        let items = InMemoryItems()
        let store = try store(items)
        try await store.save(.make(1))
        let large = StoredToken(
            .token(TestToken(String(repeating: "x", count: Envelope.limit))), version: .test(2), obtainedAt: .now)
        try await expectError(.unsuitable) { try await store.save(large) }
        #expect(try await store.load() == .make(1))
    }
}

// MARK: -

/// Fails unless a call throws a `TokenStoreError` of a kind.
func expectError<Value>(
    _ kind: TokenStoreError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async throws {
    let error = await #expect(throws: TokenStoreError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
}

/// A different type of token.
private struct OtherToken: AuthorizationToken, Codable {
    let other: Int
    var authorizationHeaderValue: String { "Bearer \(other)" }
}

/// A byte store for one process that cannot set items aside.
private struct PlainItems: ByteStore {
    let items: InMemoryItems

    init(_ items: InMemoryItems) { self.items = items }

    func load() async throws -> Data? { try await items.load() }
    func save(_ item: Data) async throws { try await items.save(item) }
    func clear() async throws { try await items.clear() }
}

/// A byte store for one process that can delay the answers of its reads.
private final class SlowItems: ByteStore {
    private let items: InMemoryItems
    private let stalls = Lock(false)
    private let stalling = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(_ items: InMemoryItems) { self.items = items }

    func stallsNext() { stalls.withLock { $0 = true } }

    /// Returns when a read waits for its answer.
    func isStalling() async { for await _ in stalling.stream { return } }

    func load() async throws -> Data? {
        let item = try await items.load()
        let isSlow = stalls.withLock { stalls in
            defer { stalls = false }
            return stalls
        }
        if isSlow {
            stalling.continuation.yield()
            // Long enough for callers that do not wait for this answer.
            for _ in 0..<1000 { await Task.yield() }
        }
        return item
    }

    func save(_ item: Data) async throws { try await items.save(item) }
    func clear() async throws { try await items.clear() }
}
#endif
