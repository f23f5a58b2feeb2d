// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// The tokens of many users, which many hosts share in any database.
///
///     let fleet = try await LeasedTokens(database: MyRecords(), key: key)
///     let auth = RefreshableTokenAuthorization(service: service, store: fleet.store(client: "web", account: user))
///
/// Each host creates its own value. All of them together refresh a rotating token only once. The database has neither
/// tokens nor names in plain text. Tokens are encrypted as by `EncryptedTokenStore`. The key of a record is an HMAC of
/// client and account.
///
/// `Documentation/Guide/Fleet.md` describes the operation and the effect of each failure.
public struct LeasedTokens: Sendable, RedactedDescription {
    let space: RecordSpace
    let keys: LeasedKeys

    /// Opens the records of a database, and makes the record that identifies it if there is none.
    ///
    /// - Parameters:
    ///   - database: reads and replaces records.
    ///   - key: encrypts tokens from now on: 32 random bytes, the same on all hosts. Avoid a password, from which a key
    ///     would be derived for each record.
    ///   - oldKeys: earlier keys, to decrypt with.
    ///   - lease: how long a host that died prevents others from refreshing the same token; 10 s by default. It should
    ///     be shorter than the grace period of the authorization server.
    ///   - requestDeadline: how long a token request may take; 4 s by default. Half a lease less a second is best; 2 s
    ///     less than the lease is the most.
    ///   - callLimit: how long a load, a save or one try to acquire access may take; 5 s by default.
    ///   - listens: whether the stores report the changes that the database reports.
    ///   - clock: measures the lease. It must not stop while the machine sleeps.
    /// - Throws: `TokenStoreError`: `unavailable`; `timedOut`; `wrongKey` if the records belong to another key;
    ///   `unsuitable` if they are of another program or a later version, or if the lease is too short. Nothing was
    ///   changed then.
    public init(
        database: some RecordDatabase, key: TokenKey, oldKeys: [TokenKey] = [], lease: Duration = .seconds(10),
        requestDeadline: Duration = .seconds(4), callLimit: Duration = .seconds(5), listens: Bool = true,
        clock: any AuthorizationClock = .system
    ) async throws {
        keys = LeasedKeys(key: key, oldKeys: oldKeys)
        space = try RecordSpace(
            database, namings: keys, lease: lease, requestDeadline: requestDeadline, callLimit: callLimit,
            listens: listens, clock: clock)
        _ = try await space.open(space.budget)
    }

    /// Returns a store for the token of one user.
    ///
    /// The record is read on first use. Each provider needs its own store; their number is not limited.
    ///
    /// - Parameters:
    ///   - client: the client id.
    ///   - account: the owner of the token.
    public func store<Token: AuthorizationToken & Codable>(client: String, account: String) -> LeasedTokenStore<Token> {
        LeasedTokenStore(items(client: client, account: account), SealedItemCoding(keys: keys))
    }

    /// The key of a user's record: 64 hexadecimal digits. It changes if the database is emptied.
    public func key(client: String, account: String) -> String {
        // The place was opened before this value existed.
        space.knownKey(of: .owner(client: client, account: account)) ?? ""
    }

    /// Removes all data of one user, the tombstone too. This ends the session on all hosts.
    ///
    /// The token is not revoked at the authorization server; call `signOut()` first for that.
    ///
    /// - Returns: whether the user had a record.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    public func remove(client: String, account: String) async throws -> Bool {
        try await items(client: client, account: account).remove(mayBeDamaged: true) { _, _ in true }
    }

    /// Removes one record if its session ended long ago, and no host has a lease or has left an intent there.
    ///
    /// List the keys with the means of your database, and call this for each, once a day on any host. A host that has
    /// not seen the sign-out by then finds no record, which ends its session too. If the record is unchanged for a day,
    /// by the clock of the database, its lease or intent is that of a host that died.
    ///
    /// - Parameters:
    ///   - key: the key of the record.
    ///   - age: how long ago the session must have ended; 30 days by default.
    /// - Returns: whether the record was removed.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    public func removeEnded(at key: String, olderThan age: Duration = .seconds(30 * 86_400)) async throws -> Bool {
        guard key != LeasedPlace.key else { return false }
        return try await LeasedByteStore(space, .key(key)).remove(mayBeDamaged: false) { record, unchangedFor in
            record.isRemovable(after: age, at: space.clock.now, unchangedFor: unchangedFor, lease: space.lease)
        }
    }

    private func items(client: String, account: String) -> LeasedByteStore {
        LeasedByteStore(space, .owner(client: client, account: account))
    }
}
#endif

extension LeasedRecord {
    /// Step 12: whether a record without a token may be removed.
    ///
    /// - Parameters:
    ///   - unchangedFor: by the clock of the database, which is believed before that of a host.
    ///   - lease: the length of a lease, which a living host renews.
    func isRemovable(after age: Duration, at now: Date, unchangedFor: Duration?, lease: Duration) -> Bool {
        guard status == .ended || item == nil && status != .token else { return false }
        // Step 2 would give such a lease to anyone.
        let isAbandoned = (unchangedFor ?? .zero) >= max(Duration.seconds(86_400), lease * 1.05)
        guard holder == nil && intent == nil || isAbandoned else { return false }
        return (unchangedFor ?? .saturated(seconds: now.timeIntervalSince1970 - changedAt)) >= age
    }
}

extension LeasedByteStore {
    /// Removes the record.
    ///
    /// - Parameter condition: decides with the record and how long it has been unchanged.
    func remove(mayBeDamaged: Bool, if condition: (LeasedRecord, Duration?) -> Bool) async throws -> Bool {
        let budget = space.budget
        while true {
            let known = try await record(budget, mayBeDamaged: mayBeDamaged)
            guard let bytes = known.bytes else {
                // The answer may be stale, or the database was emptied, so that the record has another key now.
                _ = try await space.open(budget)
                guard try await space.key(of: name, budget) == known.key,
                    try await space.calls.confirm(nil, at: known.key, budget)
                else { continue }
                return false
            }
            guard condition(known.record, known.unchangedFor) else { return false }
            do {
                guard try await space.calls.replace(bytes, by: nil, at: known.key, budget) else { continue }
            } catch {
                // It may have been removed all the same.
                if !RecordCalls.isRefusal(error) { await announce() }
                throw error
            }
            await announce()
            return true
        }
    }
}
