// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// The stored values, and their stored form.
@Suite struct StoredTokenTests {
    private static let session = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let version = TokenVersion(session: session, generation: 3)
    private static let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    private static let token = TestToken("A", expiresAt: date)
    private static let place =
        #""generation":3,"obtainedAt":800000000,"session":"01020304-0506-0708-090A-0B0C0D0E0F10","#
    private static let tokenText = #"{"expiresAt":800000000,"name":"A"}"#

    private static let forms: [(StoredToken<TestToken>.Content, String)] = [
        (.token(token), "{\(place)\"status\":\"token\",\"token\":\(tokenText)}"),
        (.signedOut, "{\(place)\"status\":\"signedOut\"}"),
    ]

    @Test func `a store may return any generation`() async throws {
        for generation in [Int.max, .min, -1] {
            let version = TokenVersion(session: UUID(), generation: generation)
            let store = InMemoryTokenStore<TestToken>(
                StoredToken(.token(TestToken("a", expiresAt: .distantPast)), version: version, obtainedAt: .distantPast)
            )
            let bench = Bench.make(store: store, .token("b"))
            #expect(try await bench.name() == "b")
            await bench.auth.reset()
            #expect(store.stored == nil)
        }
    }

    @Test func `a stored token has one flat form, and is read back from it`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (content, text) in Self.forms {
            let stored = StoredToken(content, version: Self.version, obtainedAt: Self.date)
            #expect(String(decoding: try encoder.encode(stored), as: UTF8.self) == text)
            #expect(try decode(text) == stored)
        }
    }

    @Test func `members of a later version are ignored`() throws {
        let text = "{\(Self.place)\"status\":\"signedOut\",\"why\":{\"by\":\"phone\"}}"
        #expect(try decode(text).content == .signedOut)
    }

    @Test func `an unknown status is an error that names it, not a sign-out`() throws {
        let text = "{\(Self.place)\"status\":\"paused\",\"token\":\(Self.tokenText)}"
        let error = #expect(throws: DecodingError.self) { try decode(text) }
        guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(context.codingPath.map(\.stringValue) == ["status"])
        #expect(context.debugDescription == "the status of a stored token is neither token nor signedOut nor moved")
    }

    @Test(arguments: ["-1", "9223372036854775807"])
    func `a generation without a successor is an error`(generation: String) throws {
        let place = Self.place.replacing("\"generation\":3", with: "\"generation\":\(generation)")
        let error = #expect(throws: DecodingError.self) { try decode("{\(place)\"status\":\"signedOut\"}") }
        guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(context.codingPath.map(\.stringValue) == ["generation"])
    }

    @Test(arguments: ["status", "token", "session", "generation", "obtainedAt"])
    func `a form with a missing member is an error`(key: String) throws {
        let whole = try JSONSerialization.jsonObject(with: Data(Self.forms[0].1.utf8)) as? [String: Any]
        var object = try #require(whole)
        object[key] = nil
        let data = try JSONSerialization.data(withJSONObject: object)
        let error = #expect(throws: DecodingError.self) { try decode(String(decoding: data, as: UTF8.self)) }
        guard case .keyNotFound(let missing, _) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(missing.stringValue == key)
    }

    @Test func `versions and intents are read back from JSON and have a stable form`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let version = try encoder.encode(Self.version)
        #expect(
            String(decoding: version, as: UTF8.self)
                == #"{"generation":3,"session":"01020304-0506-0708-090A-0B0C0D0E0F10"}"#)
        #expect(try JSONDecoder().decode(TokenVersion.self, from: version) == Self.version)
        let intent = RefreshIntent(session: Self.session, generation: 3, beganAt: Self.date)
        let data = try encoder.encode(intent)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"beganAt":800000000,"generation":3,"session":"01020304-0506-0708-090A-0B0C0D0E0F10"}"#)
        #expect(try JSONDecoder().decode(RefreshIntent.self, from: data) == intent)
    }

    @Test func `only a token in use counts as a token`() {
        for (content, _) in Self.forms {
            let stored = StoredToken(content, version: Self.version, obtainedAt: Self.date)
            #expect(stored.token == (content == .token(Self.token) ? Self.token : nil))
        }
    }

    @Test func `a stored token describes its state`() {
        let texts = Self.forms.map { "\(StoredToken($0.0, version: Self.version, obtainedAt: Self.date))" }
        #expect(
            texts == [
                "StoredToken(token([redacted]), generation 3)", "StoredToken(signedOut, generation 3)",
            ])
    }

    // MARK: Conditions

    /// The stored item: its session, its generation and its content.
    enum Kept: CaseIterable { case nothing, own2, own3, own4, other, ownTombstone, otherTombstone }

    @Test(arguments: Kept.allCases)
    func `a condition allows exactly its cases`(kept: Kept) {
        let stored = Self.stored(kept)
        let older = TokenSaveCondition.older(session: Self.session, generation: 3)
        #expect(TokenSaveCondition.anything.allows(stored))
        #expect(TokenSaveCondition.nothing.allows(stored) == (kept == .nothing))
        #expect(TokenSaveCondition.session(Self.session).allows(stored) == [.own2, .own3, .own4].contains(kept))
        #expect(older.allows(stored) == [.own2].contains(kept))
    }

    @Test(arguments: [TokenAbsence.setAside, .placeMissing])
    func `a condition allows a lost item, and not a removed one`(absence: TokenAbsence) {
        let older = TokenSaveCondition.older(session: Self.session, generation: 3)
        for condition in [.anything, .nothing, .session(Self.session), older] {
            #expect(condition.allows(StoredToken<TestToken>?.none, absence: absence))
        }
        #expect(!older.allows(Self.stored(.own3), absence: absence))
    }

    private static func stored(_ kept: Kept) -> StoredToken<TestToken>? {
        let (content, own, generation): (StoredToken<TestToken>.Content, Bool, Int) =
            switch kept {
            case .nothing, .own2: (.token(token), true, 2)
            case .own3: (.token(token), true, 3)
            case .own4: (.token(token), true, 4)
            case .other: (.token(token), false, 2)
            case .ownTombstone: (.signedOut, true, 2)
            case .otherTombstone: (.signedOut, false, 2)
            }
        let version = TokenVersion(session: own ? session : UUID(), generation: generation)
        return kept == .nothing ? nil : StoredToken(content, version: version, obtainedAt: date)
    }

    // MARK: -

    private func decode(_ text: String) throws -> StoredToken<TestToken> {
        try JSONDecoder().decode(StoredToken<TestToken>.self, from: Data(text.utf8))
    }
}
