// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores an item in a record of the private database.
final class CloudKitTokenItem: ByteStore, RedactedDescription {
    /// A limit for the case that other devices keep changing the record.
    static let attempts = 4

    private let cloud: any CloudCalls
    private let name: @Sendable () async throws -> String
    private let session: (@Sendable (Data) -> UUID?)?
    /// The last record from the server. A save replaces only this one.
    private let last = Lock<CloudRecord?>(nil)
    /// What the store has loaded and saved.
    let own = Lock(CloudSessions())
    private let clock: any AuthorizationClock
    /// Until which uptime CloudKit wants no request, and why.
    private let pause = Lock<(end: Duration, error: TokenStoreError)?>(nil)

    /// - Parameters:
    ///   - session: returns the session of an item. Then `clear` leaves a tombstone, which no item of that session
    ///     replaces: another device may be about to save one. `nil` if no other device has the record.
    ///   - name: returns the record's name. Called for each operation, because it may be in a locked Keychain.
    init(
        cloud: any CloudCalls, clock: any AuthorizationClock = .system, session: (@Sendable (Data) -> UUID?)? = nil,
        name: @escaping @Sendable () async throws -> String
    ) {
        (self.cloud, self.clock, self.session, self.name) = (cloud, clock, session, name)
    }

    /// `nil` if the container must not be opened.
    var changes: AsyncStream<Void>? { (try? cloud.checkContainer()) == nil ? nil : cloud.accountChanges }

    func load() async throws -> Data? {
        try await onRecord(ofAnyone: true) { name in
            let record = try await record(named: name)
            last.withLock { $0 = record }
            return record.flatMap { CloudTombstone.session(of: $0.value) == nil ? $0.value : nil }
        }
    }

    func save(_ item: Data) async throws {
        try await onRecord { name in
            var standing = last.withLock { $0?.name == name ? $0 : nil }
            for _ in 0..<Self.attempts {
                do {
                    let saved = try await put(item, over: standing, name)
                    return last.withLock { $0 = saved }
                } catch let failure as CloudFailure {
                    standing = try await self.standing(after: failure.about(name), name)
                }
            }
            throw Self.neverSettled
        }
    }

    func clear() async throws {
        own.withLock { $0.beginRemoval() }
        try await onRecord { name in
            // The account is known by now.
            own.withLock { $0.beginRemoval() }
            guard try await !leaveTombstone(name) else { return }
            do {
                try await cloud.deleteRecord(named: name)
            } catch let failure as CloudFailure where failure.about(name).meansAbsent {}
            last.withLock { $0 = nil }
        }
        own.withLock { $0.endRemoval() }
    }

    /// Returns the name of the current iCloud account, or throws `TokenStoreError` if there is none, and for as long as
    /// CloudKit wants no request.
    func account() async throws -> String {
        try cloud.checkContainer()
        if let pause = pause.withLock({ $0 }), pause.end > clock.uptime { throw pause.error }
        return try await reporting {
            let status = try await cloud.accountStatus()
            switch status {
            case .available: return try await cloud.accountName()
            case .noAccount: throw CloudFailure(code: .notAuthenticated)
            case .restricted: throw CloudFailure(code: .managedAccountRestricted)
            case .couldNotDetermine, .temporarilyUnavailable:
                throw TokenStoreError(.unavailable, "the iCloud account is not ready (\(status)); it is tried again")
            }
        }
    }

    /// Returns the name of the current iCloud account, after checking that the token in use belongs to it.
    ///
    /// - Parameter session: the session to save, if it is known.
    func checkedAccount(for session: UUID? = nil) async throws -> String {
        let current = try await account()
        guard own.withLock({ $0.allowsWrite(of: session, in: current) }) else {
            throw TokenStoreError(
                .unsuitable, "another iCloud account is signed in now, and its token is left as it is; load again")
        }
        return current
    }

    // MARK: -

    private func record(named name: String) async throws -> CloudRecord? {
        do {
            return try await cloud.record(named: name)
        } catch let failure as CloudFailure where failure.about(name).meansAbsent {
            return nil
        }
    }

    private func put(_ item: Data, over standing: CloudRecord?, _ name: String) async throws -> CloudRecord {
        var standing = standing
        if let session, let new = session(item) {
            // What another call of this device has saved since may not be remembered yet.
            if isLate(new, over: standing) { standing = try await record(named: name) }
            let isEnded = standing.map { CloudTombstone.session(of: $0.value) == new } ?? false
            if isEnded || isLate(new, over: standing) { throw TokenStoreError.signedOutOnAnotherDevice }
            own.withLock { $0.tried = new }
        }
        return try await cloud.save(CloudRecord(name: name, value: item, systemFields: standing?.systemFields))
    }

    /// Whether this device has had a session before, which is not that of the record. Only a sign-in replaces another
    /// session, or follows a removed record: a full iCloud takes no tombstone.
    private func isLate(_ new: UUID, over standing: CloudRecord?) -> Bool {
        let there = standing.map { CloudTombstone.session(of: $0.value) ?? session?($0.value) ?? new }
        return there != new && own.withLock { $0.hasKept(new) }
    }

    /// Replaces the record by a tombstone.
    ///
    /// - Returns: `false` if the record is to be deleted: it has no session, or iCloud is full. A session that another
    ///   device has begun since stays.
    private func leaveTombstone(_ name: String) async throws -> Bool {
        guard let session else { return false }
        var standing = try await record(named: name)
        for _ in 0..<Self.attempts {
            guard let kept = standing else { return false }
            if CloudTombstone.session(of: kept.value) != nil { return true }
            guard let ended = session(kept.value) else { return false }
            guard own.withLock({ $0.removes(ended) }) else { return true }
            do {
                let saved = try await put(CloudTombstone.value(for: ended), over: kept, name)
                last.withLock { $0 = saved }
                return true
            } catch let failure as CloudFailure {
                if failure.about(name).code == .quotaExceeded { return false }
                standing = try await self.standing(after: failure.about(name), name)
            }
        }
        throw Self.neverSettled
    }

    /// The record that the next attempt replaces, after a save that met another record.
    private func standing(after failure: CloudFailure, _ name: String) async throws -> CloudRecord? {
        if failure.meansAbsent {
            // The record that was read may be another account's.
            _ = try await checkedAccount()
            return nil
        }
        guard failure.code == .serverRecordChanged else { throw failure }
        if let record = failure.serverRecord { return record }
        return try await record(named: name)
    }

    private static let neverSettled = TokenStoreError(
        .unavailable, "other devices kept changing the record in iCloud; it is tried again")

    /// Runs the body if there is an iCloud account, and maps its errors to `TokenStoreError`.
    ///
    /// - Parameter ofAnyone: whether the account may be another one than that of the token in use.
    private func onRecord<Result>(
        ofAnyone: Bool = false, _ body: (_ name: String) async throws -> Result
    ) async throws -> Result {
        _ = try await ofAnyone ? account() : checkedAccount()
        let name = try await name()
        return try await reporting(about: name) { try await body(name) }
    }

    /// Maps all errors but cancellation to `TokenStoreError`.
    private func reporting<Result>(about name: String = "", _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure as CloudFailure {
            let reason = failure.about(name)
            if reason.code == .operationCancelled { try Task.checkCancellation() }
            // A full iCloud, which names a time too, must not hold back a sign-out.
            if reason.code != .quotaExceeded, let seconds = reason.retryAfter ?? failure.retryAfter {
                pause.withLock { $0 = (clock.uptime + Duration.saturated(seconds: seconds), reason.reported) }
            }
            throw reason.reported
        } catch let error where error is TokenStoreError || error is CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            // Its text is not printed, because it may be about anything.
            throw TokenStoreError(
                .unavailable, "iCloud failed with an error of type \(type(of: error)); it is tried again",
                underlying: error)
        }
    }
}
