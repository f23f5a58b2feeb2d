// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// A token store with one defect.
final class BrokenStore: SharedTokenStore {
    typealias Token = TestToken

    enum Defect: Hashable {
        case isNotEmptyAtFirst, losesTokens, losesSignOuts, takesMovesForSignOuts, losesMilliseconds, losesTheSession
        case cutsTheGeneration, keepsTheFirst, doesNotClear, failsToClearNothing, mixes, shows
        case keepsToItself, ignoresConditions, refusesAll, replacesMoves, tellsAnotherConflict, savesInTwoSteps
        case excludesNobody, doesNotUnlock, keepsThePlaceOfTheCancelled, isDeafToTheSecondCancellation
        case losesIntents, hidesIntents, changesIntents, saveRemovesIntent, conditionalSaveRemovesIntent, keepsIntents
        case keepsTheFirstIntent
        case refusedSaveEndsIntent, endsAnotherIntent, endsNoIntent
        case endsChanges, announcesNoConditionalSaves, announcesNoSignOuts, announcesNoRemovals
    }

    private struct State: Sendable {
        var saves = 0
        var lastShown: String?
        /// The item that conditions are compared with, if it is not the stored one.
        var snapshot: StoredToken<TestToken>??
        var isLocked = false
        var hasLostPlace = false
        var longWaits = 0
        var listeners: [AsyncStream<Void>.Continuation] = []
        var intent: RefreshIntent?
    }

    private let defect: Defect
    private let base: InMemorySharedTokenStore<TestToken>
    private let state: Lock<State>

    init(_ defect: Defect) {
        self.defect = defect
        let stale = StoredToken<TestToken>(
            .signedOut, version: TokenVersion(session: UUID(), generation: 0), obtainedAt: Date())
        base = InMemorySharedTokenStore(defect == .isNotEmptyAtFirst ? stale : nil)
        state = Lock(State())
    }

    private init(siblingOf other: BrokenStore) {
        defect = other.defect
        base = defect == .keepsToItself ? InMemorySharedTokenStore() : other.base.sibling()
        state = defect == .hidesIntents ? Lock(State()) : other.state
    }

    func sibling() -> BrokenStore { BrokenStore(siblingOf: self) }

    // MARK: TokenStore

    func load() async throws -> StoredToken<TestToken>? { try await base.load() }

    func save(_ stored: StoredToken<TestToken>) async throws {
        state.withLock { state in
            state.saves += 1
            state.lastShown = stored.token?.authorizationHeaderValue
            state.snapshot = nil
            if defect == .saveRemovesIntent { state.intent = nil }
        }
        if let altered = alter(stored) { try await base.save(altered) }
        announce()
    }

    private func announce() { for listener in state.withLock(\.listeners) { listener.yield() } }

    /// The item that is stored instead of the right one; `nil` for no new one.
    private func alter(_ stored: StoredToken<TestToken>) -> StoredToken<TestToken>? {
        let version = stored.version
        switch (defect, stored.content) {
        case (.losesTokens, .token), (.losesSignOuts, .signedOut): return nil
        case (.takesMovesForSignOuts, .moved):
            return StoredToken(.signedOut, version: version, obtainedAt: stored.obtainedAt)
        case (.losesMilliseconds, _):
            let seconds = stored.obtainedAt.timeIntervalSince1970.rounded(.down)
            return StoredToken(stored.content, version: version, obtainedAt: Date(timeIntervalSince1970: seconds))
        case (.losesTheSession, _):
            let version = TokenVersion(session: UUID(), generation: version.generation)
            return StoredToken(stored.content, version: version, obtainedAt: stored.obtainedAt)
        case (.cutsTheGeneration, _):
            let cut = TokenVersion(
                session: version.session, generation: Int(Int32(truncatingIfNeeded: version.generation)))
            return StoredToken(stored.content, version: cut, obtainedAt: stored.obtainedAt)
        case (.keepsTheFirst, _): return base.stored == nil ? stored : nil
        case (.mixes, _) where state.withLock(\.saves) > 5:
            return StoredToken(stored.content, version: base.stored?.version ?? version, obtainedAt: stored.obtainedAt)
        default: return stored
        }
    }

    func clear() async throws {
        if defect == .failsToClearNothing, base.stored == nil { throw BrokenAuthorization.Unexpected() }
        state.withLock { state in
            state.saves = 0
            state.snapshot = nil
        }
        if defect != .doesNotClear { try await base.clear() }
        if defect != .announcesNoRemovals { announce() }
    }

    var changes: AsyncStream<Void>? {
        switch defect {
        case .endsChanges, .keepsToItself: return AsyncStream { $0.finish() }
        case .announcesNoConditionalSaves, .announcesNoSignOuts, .announcesNoRemovals:
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            state.withLock { $0.listeners.append(continuation) }
            return stream
        default: return base.changes
        }
    }

    // MARK: SharedTokenStore

    func save(
        _ stored: StoredToken<TestToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<TestToken>> {
        let result = try await save(stored, condition)
        if defect == .announcesNoRemovals || defect == .announcesNoSignOuts && stored.token != nil { announce() }
        state.withLock { state in
            let isEnded = intent != nil && (state.intent == intent || defect == .endsAnotherIntent)
            let isSaved = result == .saved || defect == .refusedSaveEndsIntent
            if isEnded, isSaved, defect != .endsNoIntent { state.intent = nil }
            if defect == .conditionalSaveRemovesIntent { state.intent = nil }
        }
        return result
    }

    private func save(
        _ stored: StoredToken<TestToken>, _ condition: TokenSaveCondition
    ) async throws -> SaveResult<StoredToken<TestToken>> {
        switch defect {
        case .ignoresConditions: return try await base.save(stored, replacing: .anything)
        case .refusesAll:
            if let stored = base.stored { return .refused(stored) }
            return try await base.save(stored, replacing: condition)
        case .replacesMoves:
            let isMoved = if case .moved? = base.stored?.content { true } else { false }
            return try await base.save(stored, replacing: isMoved ? .anything : condition)
        case .tellsAnotherConflict:
            let result = try await base.save(stored, replacing: condition)
            return if case .refused = result { .refused(stored) } else { result }
        case .savesInTwoSteps:
            // As if all had read before any of them wrote.
            let seen = state.withLock { state in
                let seen = state.snapshot ?? base.stored
                state.snapshot = seen
                return seen
            }
            if let seen, !condition.allows(seen) { return .refused(seen) }
            return try await base.save(stored, replacing: .anything)
        default: return try await base.save(stored, replacing: condition)
        }
    }

    func lock(within limit: Duration) async throws -> TokenStoreLock {
        switch defect {
        case .excludesNobody: return TokenStoreLock {}
        case .doesNotUnlock:
            guard state.withLock({ $0.isLocked == false }) else { throw TokenStoreError.noAccess }
            state.withLock { $0.isLocked = true }
            return TokenStoreLock {}
        case .keepsThePlaceOfTheCancelled:
            if limit > .seconds(3600) { state.withLock { $0.hasLostPlace = true } }
            guard !state.withLock(\.hasLostPlace) else { throw TokenStoreError.noAccess }
        case .isDeafToTheSecondCancellation where limit > .seconds(3600):
            let isSecond = state.withLock { state in
                state.longWaits += 1
                return state.longWaits == 2
            }
            if isSecond { _ = try await OneShot<Void>().valueIgnoringCancellation() }
        default: break
        }
        return try await base.lock(within: limit)
    }

    func loadWithIntent() async throws -> TokenWithIntent<TestToken> {
        TokenWithIntent(base.stored, intent: state.withLock(\.intent))
    }

    func setIntent(_ intent: RefreshIntent?) async throws {
        var intent = intent
        if intent == nil, defect == .keepsIntents { return }
        if let left = intent, defect == .changesIntents {
            let beganAt = Date(timeIntervalSince1970: left.beganAt.timeIntervalSince1970.rounded(.down))
            intent = RefreshIntent(session: left.session, generation: left.generation, beganAt: beganAt)
        }
        if defect == .keepsTheFirstIntent, intent != nil, state.withLock(\.intent) != nil { return }
        if defect != .losesIntents { state.withLock { [intent] in $0.intent = intent } }
    }
}

extension TokenStoreError {
    /// The answer of a broken store whose lock is taken.
    static let noAccess = TokenStoreError(.timedOut, "the lock is taken")
}

extension BrokenStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String {
        defect == .shows ? "BrokenStore(\(state.withLock { $0.lastShown ?? "" }))" : "BrokenStore"
    }
    var debugDescription: String { "BrokenStore" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
