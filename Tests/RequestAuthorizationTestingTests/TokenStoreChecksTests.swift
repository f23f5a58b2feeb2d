// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Each check detects a store with one defect.
struct TokenStoreChecksTests {
    typealias Defect = BrokenStore.Defect

    @Test(arguments: [
        (
            Defect.isNotEmptyAtFirst, "is empty at first",
            "loaded StoredToken(signedOut, generation 0), but the store should be empty"
        ),
        (.losesTokens, "keeps a token", "loaded nothing instead of StoredToken(token([redacted]), generation 1)"),
        (.losesSignOuts, "keeps a sign-out", "loaded nothing instead of StoredToken(signedOut, generation 1)"),
        (
            .takesMovesForSignOuts, "keeps a note that the token was moved",
            "loaded StoredToken(signedOut, generation 1) instead of StoredToken(moved(to: another store), generation 1)"
        ),
        (.losesMilliseconds, "keeps the version and the time", "loaded a time for token([redacted]) that is 0.12"),
        (.losesTheSession, "keeps the version and the time", "loaded another version of token([redacted])"),
        (.cutsTheGeneration, "keeps the version and the time", "loaded another version of token([redacted])"),
        (.keepsTheFirst, "replaces what was there", "loaded StoredToken(token([redacted]), generation 1) instead of"),
        (.doesNotClear, "clears", "loaded StoredToken(token([redacted]), generation 1), but the store should be empty"),
        (.failsToClearNothing, "clears what is empty", "threw Unexpected"),
        (.mixes, "keeps one whole value of many saved at a time", "loaded a mixture"),
        (.shows, "does not show what it keeps", "its description shows the credential"),
    ])
    func `a defect fails its check`(_ defect: Defect, _ check: String, _ problem: String) async {
        let found = await failures { try await TokenStoreChecks { BrokenStore(defect) }.run() }
        #expect(found.first { $0.check == check }?.problem.hasPrefix(problem) == true, "\(found)")
    }

    @Test(arguments: [
        Defect.isNotEmptyAtFirst, .takesMovesForSignOuts, .cutsTheGeneration, .doesNotClear, .failsToClearNothing,
        .mixes, .shows,
    ])
    func `one defect fails one check`(_ defect: Defect) async {
        let found = await failures { try await TokenStoreChecks { BrokenStore(defect) }.run() }
        #expect(found.count == 1, "\(found)")
    }

    @Test func `a store that loses tokens between launches fails`() async {
        let found = await failures {
            try await TokenStoreChecks(reopened: { _ in InMemoryTokenStore() }) { InMemoryTokenStore<TestToken>() }
                .run()
        }
        #expect(found.map(\.check) == ["keeps it for the next launch"])
    }

    @Test(arguments: CachingStore.Defect.allCases)
    func `a store whose next launch knows nothing of the last change fails`(_ defect: CachingStore.Defect) async {
        let found = await failures {
            try await TokenStoreChecks<CachingStore>(reopened: { CachingStore($0.defect, at: $0.place) }) {
                CachingStore(defect, at: InMemoryTokenStore())
            }
            .run()
        }
        #expect(found.map(\.check) == ["keeps it for the next launch"])
    }

    @Test func `tokens of any type can be used`() async throws {
        try await TokenStoreChecks(token: { Plain(value: "plain-token-\($0)") }) { InMemoryTokenStore<Plain>() }.run()
    }

    /// A store that knows what it has written, and does not write everything to its place.
    final class CachingStore: TokenStore {
        enum Defect: CaseIterable, Sendable { case writesNoSignOuts, writesNoMoves, writesNoRemovals }

        let defect: Defect
        let place: InMemoryTokenStore<TestToken>
        private let known: InMemoryTokenStore<TestToken>

        init(_ defect: Defect, at place: InMemoryTokenStore<TestToken>) {
            (self.defect, self.place) = (defect, place)
            known = InMemoryTokenStore(place.stored)
        }

        func load() async throws -> StoredToken<TestToken>? { known.stored }

        func save(_ stored: StoredToken<TestToken>) async throws {
            try await known.save(stored)
            switch (defect, stored.content) {
            case (.writesNoSignOuts, .signedOut), (.writesNoMoves, .moved): return
            default: try await place.save(stored)
            }
        }

        func clear() async throws {
            try await known.clear()
            if defect != .writesNoRemovals { try await place.clear() }
        }
    }

    private struct Plain: AuthorizationToken, Equatable {
        let value: String
        var authorizationHeaderValue: String { value }
    }
}

struct SharedTokenStoreChecksTests {
    typealias Defect = BrokenStore.Defect

    private static let conditions = "saves if the condition is met and only then"
    private static let exclusion = "gives exclusive access to one at a time"
    private static let intent = "keeps an intent until it is removed"
    private static let endedIntent = "ends an intent with a save, and only that one"

    @Test(arguments: [
        (Defect.ignoresConditions, conditions, "saved over nothing for session("),
        (.refusesAll, conditions, "did not save over StoredToken(token([redacted]), generation 1) for anything"),
        (.replacesMoves, conditions, "saved over StoredToken(moved(to: another store), generation 1) for nothing"),
        (.tellsAnotherConflict, conditions, "loaded StoredToken(token([redacted]), generation 2), but"),
        (.savesInTwoSteps, "lets one of many conditional saves win", "16 of 16 saves replaced the same token"),
        (.excludesNobody, exclusion, "gave access to a sibling too"),
        (.doesNotUnlock, "gives exclusive access to the next", "threw token store timed out: the lock is taken"),
        (
            .keepsThePlaceOfTheCancelled, "stops waiting for exclusive access when cancelled",
            "threw token store timed out: the lock is taken"
        ),
        (.losesIntents, intent, "did not show the intent to the store itself"),
        (.hidesIntents, intent, "did not show the intent to a sibling"),
        (.changesIntents, intent, "showed another intent to the store itself"),
        (.saveRemovesIntent, intent, "did not show the intent after a save"),
        (.conditionalSaveRemovesIntent, intent, "did not show the intent after a conditional save"),
        (.keepsIntents, intent, "still had the intent that a sibling removed"),
        (.keepsTheFirstIntent, intent, "showed another intent after a later one was written"),
        (.refusedSaveEndsIntent, endedIntent, "did not show the intent after a save that was refused"),
        (.endsAnotherIntent, endedIntent, "did not show the intent after a save that ends another"),
        (.endsNoIntent, endedIntent, "still had the intent that ended with a save"),
        (.endsChanges, "announces changes to siblings", "ended the sequence of changes"),
        (.keepsToItself, "shows siblings what was saved", "loaded nothing instead of"),
        (.losesSignOuts, "keeps a sign-out", "loaded nothing instead of"),
    ])
    func `a defect of a shared store fails its check`(_ defect: Defect, _ check: String, _ problem: String) async {
        let found = await failures {
            try await SharedTokenStoreChecks(lockLimit: .zero) {
                let store = BrokenStore(defect)
                return (store, store.sibling())
            }.run()
        }
        #expect(found.first { $0.check == check }?.problem.hasPrefix(problem) == true, "\(found)")
    }

    @Test(arguments: [
        (Defect.isDeafToTheSecondCancellation, "stops waiting for exclusive access when cancelled"),
        (.announcesNoConditionalSaves, "announces changes to siblings"),
        (.announcesNoSignOuts, "announces changes to siblings"),
        (.announcesNoRemovals, "announces changes to siblings"),
    ])
    func `a check of a shared store that hangs fails`(_ defect: Defect, _ check: String) async {
        let found = await failures {
            try await SharedTokenStoreChecks(limit: .seconds(3), lockLimit: .zero, patience: .zero) {
                let store = BrokenStore(defect)
                return (store, store.sibling())
            }.run()
        }
        #expect(found.first { $0.check == check }?.problem == "has not ended after 3.0 seconds", "\(found)")
    }

    @Test func `a store that excludes others but not itself fails`() async {
        let found = await failures {
            try await SharedTokenStoreChecks(lockLimit: .zero) {
                let base = InMemorySharedTokenStore<TestToken>()
                return (OpenToItself(base), OpenToItself(base.sibling()))
            }.run()
        }
        #expect(found.map(\.description).first == "\(Self.exclusion): gave access to the same store too")
    }
}
