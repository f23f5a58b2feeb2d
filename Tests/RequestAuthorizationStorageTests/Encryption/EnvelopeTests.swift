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

/// The bytes of an envelope keep their meaning in all versions, and no other bytes have one.
@Suite struct EnvelopeTests {
    @Test func `an old envelope is read and would be written the same`() async throws {
        for golden in try GoldenEnvelope.all() {
            let store = EncryptedTokenStore<TestToken, _>(
                around: InMemoryItems(golden.item), key: golden.key, cipher: golden.cipher, client: "CLIENT_ID",
                account: "ada")
            #expect(try await store.load() == GoldenEnvelope.stored, "\(golden)")
            let key = try await golden.key.material.key(golden.derivation)
            let header = try Envelope(golden.item).header
            #expect(header.derivation == golden.derivation)
            #expect(header.version == GoldenEnvelope.version)
            let again = try Envelope(
                sealing: GoldenEnvelope.message, header: header, key: key, nonce: GoldenEnvelope.nonce)
            #expect(again.bytes.hex == golden.item.hex, "\(golden)")
        }
    }

    @Test func `a bit flipped anywhere is refused`() async throws {
        for golden in [try GoldenEnvelope.aesGCM(), try GoldenEnvelope.chaChaPoly()] {
            let sealer = sealer(golden.key, golden.cipher)
            _ = try await sealer.openEnvelope(golden.item)
            for position in golden.item.indices {
                for bit in 0..<8 {
                    var item = golden.item
                    item[position] ^= 1 << bit
                    await #expect(throws: EnvelopeProblem.self, "\(golden), byte \(position), bit \(bit)") {
                        try await sealer.openEnvelope(item)
                    }
                }
            }
        }
    }

    /// With the key in memory, so that the tag refuses changed salts and rounds, and not only the other key.
    @Test func `a byte flipped anywhere is refused by the tag too`() async throws {
        let golden = try GoldenEnvelope.password()
        let key = try await golden.key.material.key(golden.derivation)
        _ = try Envelope(golden.item).open(with: key)
        for position in golden.item.indices {
            for bits: UInt8 in [1, 0x80, 0xff] {
                var item = golden.item
                item[position] ^= bits
                #expect(throws: EnvelopeProblem.self, "byte \(position)") { try Envelope(item).open(with: key) }
            }
        }
    }

    @Test func `a truncated envelope is refused, and so is one with trailing bytes`() async throws {
        let golden = try GoldenEnvelope.aesGCM()
        for count in 0..<golden.item.count {
            #expect(throws: EnvelopeProblem.self, "\(count) bytes") { try Envelope(golden.item.prefix(count)) }
        }
        #expect(throws: EnvelopeProblem.truncated) { try Envelope(golden.item.dropLast()) }
        #expect(throws: EnvelopeProblem.malformed) { try Envelope(golden.item + [0]) }
        #expect(throws: EnvelopeProblem.notAnEnvelope) { try Envelope(Data()) }
        #expect(throws: EnvelopeProblem.notSealed) { try Envelope(Data(#"{"status":"token"}"#.utf8)) }
    }

    @Test func `no length is trusted`() throws {
        let golden = try GoldenEnvelope.password()
        let places = try lengths(in: golden.item)
        #expect(places.count == 13)
        for place in places {
            for length: UInt32 in [0, 1 << 16, 1 << 30, .max, .max / 2] {
                var item = golden.item
                item.replaceSubrange(place..<place + 4, with: length.bigEndianBytes)
                // An empty client or account is valid with another header: the bytes after it are then misread.
                #expect(throws: EnvelopeProblem.self, "length \(length) at \(place)") { try Envelope(item) }
            }
        }
    }

    @Test func `an envelope that is too large is not parsed`() throws {
        #expect(throws: EnvelopeProblem.tooLarge) { try Envelope(Data(count: Envelope.limit + 1)) }
        let key = SymmetricKey(size: .bits256)
        let header = try Envelope(try GoldenEnvelope.aesGCM().item).header
        #expect(throws: EnvelopeProblem.tooLargeToSeal) {
            try Envelope(sealing: Data(count: Envelope.limit), header: header, key: key, nonce: GoldenEnvelope.nonce)
        }
    }

    @Test(arguments: [0, 1, 599_999, 10_000_001, Int(UInt32.max)])
    func `rounds out of bounds are refused before anything is derived`(rounds: Int) async throws {
        let golden = try GoldenEnvelope.password()
        let header = try Envelope(golden.item).header
        let counting = CountingMaterial()
        var changed = header
        changed.derivation = .pbkdf2(salt: header.derivation.salt, rounds: rounds)
        let key = SymmetricKey(size: .bits256)
        changed.keyCheck = key.tokenKeyCheck
        let item = try Envelope(
            sealing: GoldenEnvelope.message, header: changed, key: key, nonce: GoldenEnvelope.nonce)
        await #expect(throws: EnvelopeProblem.rounds(rounds)) {
            try await sealer(TokenKey(id: "default", material: counting)).openEnvelope(item.bytes)
        }
        #expect(counting.calls.withLock { $0 } == 0)
    }

    @Test(arguments: [0, 15, 65])
    func `a salt out of bounds is refused`(count: Int) throws {
        var header = try Envelope(try GoldenEnvelope.password().item).header
        header.derivation = .pbkdf2(salt: Array(repeating: 1, count: count), rounds: 600_000)
        let item = try Envelope(
            sealing: GoldenEnvelope.message, header: header, key: SymmetricKey(size: .bits256),
            nonce: GoldenEnvelope.nonce)
        #expect(throws: EnvelopeProblem.malformed) { try Envelope(item.bytes) }
    }

    @Test func `formats, ciphers and key derivations of later versions are told apart from damage`() throws {
        let golden = try GoldenEnvelope.aesGCM()
        for (position, what) in [(8, "format 2"), (13, "cipher 9"), (38, "key derivation 7")] {
            var item = golden.item
            item[position] = what.last?.wholeNumberValue.map { UInt8($0) } ?? 0
            #expect(throws: EnvelopeProblem.otherFormat(what)) { try Envelope(item) }
        }
    }

    @Test func `every problem says what to do`() {
        let problems: [EnvelopeProblem] = [
            .notAnEnvelope, .notSealed, .truncated, .malformed, .tooLarge, .changed, .otherFormat("format 2"),
            .rounds(1), .otherToken, .otherClient, .otherAccount, .unknownKey("a"), .wrongKey("a"), .noKey("a"), .keyID,
            .tooLargeToSeal,
        ]
        let kinds = problems.map { $0.error().kind }
        #expect(
            kinds == [
                .corrupt, .unreadable, .corrupt, .corrupt, .corrupt, .corrupt, .unreadable, .unreadable, .unreadable,
                .unreadable, .unreadable, .wrongKey, .wrongKey, .wrongKey, .unsuitable, .unsuitable,
            ])
        #expect(
            EnvelopeProblem.wrongKey("a").error("it was left where it is").description
                == """
                token store wrong key: the token was encrypted with another key or password than the one given as 'a'; \
                it was left where it is; pass the right key (an earlier one in oldKeys), or remove the token with \
                clear() and sign in again
                """)
    }

    // MARK: -

    private func sealer(_ key: TokenKey, _ cipher: TokenCipher = .aesGCM) -> StoredTokenSealer<TestToken> {
        StoredTokenSealer(key: key, cipher: cipher, client: "CLIENT_ID", account: "ada")
    }

    /// The positions of the fields' lengths.
    private func lengths(in item: Data) throws -> [Int] {
        var (places, place) = ([Int](), EnvelopeHeader.magic.count)
        while place < item.count {
            places.append(place)
            place += 4 + item[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        return places
    }
}

/// Key material that counts its uses.
final class CountingMaterial: KeyMaterial {
    let calls = Lock(0)
    private let secret = SymmetricKey(size: .bits256)

    func derivation(after last: KeyDerivation?) -> KeyDerivation {
        .pbkdf2(salt: Array(repeating: 1, count: 16), rounds: 600_000)
    }
    func existingKey(_ derivation: KeyDerivation) async throws -> SymmetricKey? { try await key(derivation) }
    func key(_ derivation: KeyDerivation) async throws -> SymmetricKey {
        calls.withLock { $0 += 1 }
        return secret
    }
}
#endif
