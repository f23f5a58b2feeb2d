// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@testable import RequestAuthorizationStorage

@Suite struct TokenKeyTests {
    @Test func `a key of zeros is refused, wherever it comes from`() async throws {
        let zeros = Data(count: 32)
        #expect(throws: TokenStoreError.self) { try TokenKey.bytes(zeros) }
        let store = EncryptedTokenStore<TestToken, _>(
            around: InMemoryItems(), key: .kept(in: InMemoryItems(zeros)), client: "client", account: "me")
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make(1)) }
        #expect(error?.kind == .unsuitable)
    }

    private func store(_ items: InMemoryItems, _ key: TokenKey, old: [TokenKey] = []) -> EncryptedTokenStore<
        TestToken, InMemoryItems
    > {
        EncryptedTokenStore(around: items, key: key, oldKeys: old, client: "CLIENT_ID", account: "ada")
    }

    // MARK: Valid keys

    @Test(arguments: [0, 16, 31, 33, 64])
    func `a key has 32 bytes`(count: Int) async throws {
        try await expectError(.unsuitable) { try TokenKey.bytes([UInt8](repeating: 7, count: count)) }
        let keyItems = InMemoryItems(Data(count: count))
        try await expectError(.unsuitable) { try await store(InMemoryItems(), .kept(in: keyItems)).save(.make(1)) }
        #expect(keyItems.item == Data(count: count))
    }

    @Test func `a password is not empty, and takes neither few nor too many rounds`() async throws {
        try await expectError(.unsuitable) { try TokenKey.password("") }
        for rounds in [-1, 0, 210_000, 599_999, 10_000_001, .max] {
            try await expectError(.unsuitable) { try TokenKey.password("x", rounds: rounds) }
        }
        _ = try TokenKey.password("x", rounds: 10_000_000)
    }

    @Test(arguments: ["", String(repeating: "x", count: 65)])
    func `a key has a name of 1 to 64 bytes`(id: String) async throws {
        let key = try TokenKey.bytes([UInt8](0..<32), id: id)
        try await expectError(.unsuitable) { try await store(InMemoryItems(), key).save(.make(1)) }
    }

    // MARK: Passwords

    @Test func `a password's key is derived once for each salt and rounds, for any number of callers`() async throws {
        let derivations = Lock<[KeyDerivation]>([])
        let key = PasswordKey(SymmetricKey(data: [1]), rounds: 600_000) { _, salt, rounds in
            derivations.withLock { $0.append(.pbkdf2(salt: salt, rounds: rounds)) }
            return SymmetricKey(data: SHA256.hash(data: salt))
        }
        let fresh = key.derivation(after: nil)
        let kept = KeyDerivation.pbkdf2(salt: Array(repeating: 1, count: 16), rounds: 600_000)
        try await withThrowingTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    let derivation = number.isMultiple(of: 2) ? fresh : kept
                    let expected = SymmetricKey(data: SHA256.hash(data: derivation.salt))
                    let found = try await key.existingKey(derivation)
                    #expect(found == expected)
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(derivations.withLock { $0 }) == [fresh, kept])
        #expect(derivations.withLock { $0.count } == 2)
        #expect(try await key.existingKey(.none) == nil)
    }

    @Test func `a derivation that failed is tried again`() async throws {
        let failures = Lock([URLError(.unknown)])
        let key = PasswordKey(SymmetricKey(data: [1]), rounds: 600_000) { _, _, _ in
            if let failure = failures.withLock({ $0.popLast() }) { throw failure }
            return SymmetricKey(data: SHA256.hash(data: [1]))
        }
        let derivation = key.derivation(after: nil)
        await #expect(throws: URLError.self) { try await key.key(derivation) }
        #expect(try await key.key(derivation) == SymmetricKey(data: SHA256.hash(data: [1])))
    }

    @Test func `a stored salt is used again as long as the rounds are the configured ones`() {
        let key = PasswordKey(SymmetricKey(data: [1]), rounds: 700_000)
        let fresh = key.derivation(after: nil)
        #expect(fresh.salt.count == 32 && fresh.rounds == 700_000)
        let (kept, weaker) = (
            KeyDerivation.pbkdf2(salt: [1], rounds: 700_000), KeyDerivation.pbkdf2(salt: [1], rounds: 600_000)
        )
        #expect(key.derivation(after: kept) == kept)
        for outdated in [nil, weaker, KeyDerivation.none] { #expect(key.derivation(after: outdated) == fresh) }
        let other = PasswordKey(SymmetricKey(data: [1]), rounds: 700_000)
        #expect(other.derivation(after: nil).salt != fresh.salt)
    }

    @Test func `salts of others do not fill the memory`() async throws {
        let count = Lock(0)
        let key = PasswordKey(SymmetricKey(data: [1]), rounds: 600_000) { _, salt, _ in
            count.withLock { $0 += 1 }
            return SymmetricKey(data: salt)
        }
        for _ in 0..<2 {
            for number: UInt8 in 0..<20 { _ = try await key.key(.pbkdf2(salt: [number], rounds: 600_000)) }
        }
        #expect(count.withLock { $0 } == 40)
        _ = try await key.key(.pbkdf2(salt: [19], rounds: 600_000))
        #expect(count.withLock { $0 } == 40)
    }

    @Test func `a wrong password is told from damage, and the token stays`() async throws {
        let items = InMemoryItems(try GoldenEnvelope.password().item)
        let wrong = store(items, try .password("correct house"))
        try await expectError(.wrongKey) { try await wrong.load() }
        try await expectError(.wrongKey) { try await wrong.save(.make(1), replacing: .anything) }
        let right = store(items, try GoldenEnvelope.passwordKey.get())
        #expect(try await right.load() == GoldenEnvelope.stored)
        var damaged = try GoldenEnvelope.password().item
        damaged[damaged.count - 1] ^= 1
        items.item = damaged
        try await expectError(.corrupt) { try await right.load() }
    }

    @Test func `a token moves from a password to a key and back`() async throws {
        let items = InMemoryItems(try GoldenEnvelope.password().item)
        let (password, key) = (try GoldenEnvelope.passwordKey.get(), try TokenKey.bytes([UInt8](0..<32)))
        #expect(try await store(items, key, old: [password]).reencrypt())
        #expect(try await store(items, key).load() == GoldenEnvelope.stored)
        items.item = try GoldenEnvelope.password().item
        let again = store(items, password, old: [key])
        #expect(try await !again.reencrypt())
        try await again.save(.make(1))
        #expect(try Envelope(#require(items.item)).header.derivation == GoldenEnvelope.password().derivation)
    }

    // MARK: Kept keys

    @Test func `a kept key is made with the first token and not earlier`() async throws {
        let (items, keyItems) = (InMemoryItems(), InMemoryItems())
        let store = store(items, .kept(in: keyItems))
        #expect(try await store.load() == nil)
        #expect(keyItems.item == nil)
        try await store.save(.make(1))
        #expect(keyItems.item?.count == 32)
        let key = keyItems.item
        try await store.save(.make(2))
        #expect(keyItems.item == key)
        #expect(try await self.store(items, .kept(in: keyItems.sibling())).load() == .make(2))
    }

    @Test func `processes that make a key at the same time agree on one`() async throws {
        let (items, keyItems) = (InMemoryItems(), InMemoryItems())
        let siblings = Data(repeating: 7, count: 32)
        let late = InterruptedItems(keyItems)
        late.interrupt { try await keyItems.save(siblings) }
        try await store(items, .kept(in: late)).save(.make(1))
        #expect(keyItems.item == siblings)
        #expect(try await store(items, .bytes(siblings)).load() == .make(1))
    }

    @Test func `a lost key is an error, and no other key takes its place`() async throws {
        let (items, keyItems) = (InMemoryItems(), InMemoryItems())
        let store = store(items, .kept(in: keyItems))
        try await store.save(.make(1))
        let key = keyItems.item
        keyItems.item = nil
        try await expectError(.wrongKey) { try await store.load() }
        try await expectError(.wrongKey) { try await store.save(.make(2)) }
        #expect(keyItems.item == nil)
        keyItems.item = key
        #expect(try await store.load() == .make(1))
    }

    @Test func `a key that is unreadable for now is not replaced by another`() async throws {
        struct Locked: Error {}
        let (items, keyItems) = (InMemoryItems(), InMemoryItems())
        let store = store(items, .kept(in: keyItems))
        keyItems.fail(load: Locked())
        await #expect(throws: Locked.self) { try await store.save(.make(1)) }
        #expect(keyItems.item == nil && items.item == nil)
    }
}
#endif
