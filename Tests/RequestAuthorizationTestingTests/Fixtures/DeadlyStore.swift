// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// A store over a place with locks by a key and a time to live, with one deadly defect: it ends sessions, or lets two hosts
/// spend one token.
final class DeadlyStore: SharedTokenStore, CustomStringConvertible {
    enum Defect: CaseIterable, Hashable, Sendable {
        case releasesAnothersLock, undeclaredTimeToLive, lockEndsAfterASecond, reportsErrorsAsEmpty, intentExpires
        case alwaysGone, oneLockIDForAll, savesWithoutCondition, savesInTwoSteps, excludesNobody, losesIntents
        case forgetsAtTheNextLaunch, forgetsThePlaceOfASave
    }

    /// What all stores share.
    final class Place: Sendable {
        struct Contents: Sendable {
            var stored: StoredToken<TestToken>?
            var intent: (RefreshIntent, at: ContinuousClock.Instant)?
            var lock: (id: UUID, until: ContinuousClock.Instant?)?
            var id = UUID()
            var isReachable = true
            /// Those who wait for the lock.
            var waiters: [AsyncStream<Void>.Continuation] = []
        }
        struct Unreachable: Error {}

        let contents = Lock(Contents())

        func use<Result>(_ body: (inout Contents) -> Result) throws -> Result {
            try contents.withLock { contents in
                guard contents.isReachable, !Task.isCancelled else { throw Unreachable() }
                return body(&contents)
            }
        }

        func empty() { contents.withLock { $0 = Contents() } }

        func release(_ condition: (UUID) -> Bool) {
            let waiters = contents.withLock { contents -> [AsyncStream<Void>.Continuation] in
                guard let lock = contents.lock, condition(lock.id) else { return [] }
                defer { contents.waiters = [] }
                contents.lock = nil
                return contents.waiters
            }
            for waiter in waiters { waiter.finish() }
        }

        /// Returns when the lock was released or has ended, and at the latest at a time.
        func waitForRelease(until end: ContinuousClock.Instant) async {
            let (release, waiter) = AsyncStream.makeStream(of: Void.self)
            let wakeUp = contents.withLock { contents -> ContinuousClock.Instant? in
                guard let lock = contents.lock else { return nil }
                contents.waiters.append(waiter)
                return min(end, lock.until ?? end)
            }
            guard let wakeUp else { return }
            let timer = Task {
                try await Task.sleep(until: wakeUp)
                waiter.finish()
            }
            for await _ in release {}
            timer.cancel()
        }
    }

    let defect: Defect?
    let place: Place
    private let seen = Lock<UUID?>(nil)

    init(_ defect: Defect?, at place: Place = Place()) { (self.defect, self.place) = (defect, place) }

    var description: String { "DeadlyStore" }

    /// The store of the next launch.
    func reopened() -> DeadlyStore { DeadlyStore(defect, at: defect == .forgetsAtTheNextLaunch ? Place() : place) }

    func load() async throws -> StoredToken<TestToken>? { try await loadWithIntent().stored }

    func loadWithIntent() async throws -> TokenWithIntent<TestToken> {
        do {
            return try place.use { contents in
                var absence = TokenAbsence.gone
                if contents.stored != nil {
                    seen.withLock { $0 = contents.id }
                } else if let seen = seen.withLock({ $0 }), seen != contents.id, defect != .alwaysGone {
                    absence = .placeMissing
                }
                let age = contents.intent.map { ContinuousClock.now - $0.at } ?? .zero
                if defect == .intentExpires, age > .seconds(1) { contents.intent = nil }
                return TokenWithIntent(contents.stored, absence: absence, intent: contents.intent?.0)
            }
        } catch {
            if defect == .reportsErrorsAsEmpty { return TokenWithIntent(nil, intent: nil) }
            throw error
        }
    }

    func save(_ stored: StoredToken<TestToken>) async throws { _ = try await save(stored, replacing: .anything) }

    func save(
        _ stored: StoredToken<TestToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<TestToken>> {
        let snapshot = try await loadWithIntent()
        if defect == .savesInTwoSteps { for _ in 1...20 { await Task.yield() } }
        return try place.use { contents in
            let kept = defect == .savesInTwoSteps ? snapshot.stored : contents.stored
            let isAllowed = condition.allows(kept, absence: snapshot.absence) || defect == .savesWithoutCondition
            guard isAllowed else { return .refused(kept) }
            contents.stored = stored
            if intent != nil, contents.intent?.0 == intent { contents.intent = nil }
            if defect != .forgetsThePlaceOfASave { seen.withLock { $0 = contents.id } }
            return .saved
        }
    }

    func clear() async throws { try place.use { $0.stored = nil } }

    func setIntent(_ intent: RefreshIntent?) async throws {
        if defect != .losesIntents { try place.use { $0.intent = intent.map { ($0, .now) } } }
    }

    func lock(within limit: Duration) async throws -> TokenStoreLock {
        let id = defect == .oneLockIDForAll ? UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) : UUID()
        let end = ContinuousClock.now + limit
        while try !take(id) {
            guard ContinuousClock.now < end else { throw TokenStoreError.noAccess }
            await place.waitForRelease(until: end)
            try Task.checkCancellation()
        }
        let release = { @Sendable [defect, place] in
            place.release { $0 == id || defect == .releasesAnothersLock }
        }
        guard defect == .lockEndsAfterASecond else { return TokenStoreLock { release() } }
        // It says that it lasts for ten.
        return TokenStoreLock(requestDeadline: .seconds(4), remaining: { .seconds(10) }) { release() }
    }

    private func take(_ id: UUID) throws -> Bool {
        try place.use { contents in
            let isOver = contents.lock?.until.map { $0 <= .now } ?? false
            guard contents.lock == nil || isOver || defect == .excludesNobody else { return false }
            let isShort = defect == .undeclaredTimeToLive || defect == .lockEndsAfterASecond
            contents.lock = (id, isShort ? .now + .seconds(1) : nil)
            return true
        }
    }
}
