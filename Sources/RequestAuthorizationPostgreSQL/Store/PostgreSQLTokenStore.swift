// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// Stores the token of one user for all hosts of a fleet. Create it with ``PostgreSQLTokens/store(client:account:)``.
///
/// Exclusive access is a lease in the row. The lease holds no connection, so a token endpoint that hangs does not stop
/// other users. Waiting hosts try again after 50 ms to 1 s.
public final class PostgreSQLTokenStore<Token: AuthorizationToken & Codable>: SharedTokenStore, RedactedDescription {
    let fleet: Fleet
    let client: String
    let account: String
    /// The lease of this store, until it is released.
    let held = Lock<UUID?>(nil)
    /// The row from when the lease was acquired, for the next load, and the uptime until which the load may use it.
    let leasedRow = Lock<(row: TokenRow, until: Duration)?>(nil)
    /// The result of the last load. The next save replaces only this row.
    private let known = Lock<Found?>(nil)
    /// The tables that last had this store's session. If other tables lack it, it was lost and has not ended.
    private let seenPlace = Lock<UUID?>(nil)
    private let serialTasks = SerialTasks()

    init(fleet: Fleet, client: String, account: String) {
        (self.fleet, self.client, self.account) = (fleet, client, account)
    }

    /// Reads and decrypts the token.
    ///
    /// - Throws: `TokenStoreError`: `wrongKey`, `corrupt` (the token was set aside), `unreadable`, and failures of the
    ///   database.
    public func load() async throws -> StoredToken<Token>? { try await loadWithIntent().stored }

    /// Reads and decrypts the token, and reads the intent.
    ///
    /// - Throws: as ``load()``.
    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        let found = try await find(for: .load)
        _ = known.exchange(found)
        let stored = found.opened?.stored
        let intent = found.row.intent.flatMap { RefreshIntentFormat.decode(Data($0.utf8), for: stored) }
        return TokenWithIntent(stored, absence: found.absence, intent: intent)
    }

    /// Encrypts and saves the token.
    ///
    /// - Throws: as ``load()``, if the stored token cannot be decrypted. It is not replaced then.
    public func save(_ stored: StoredToken<Token>) async throws {
        _ = try await save(stored, replacing: .anything, ending: nil)
    }

    /// Encrypts and saves the token if the stored one meets a condition, in one atomic step.
    ///
    /// A refreshed token is refused while another host has the lease, because that host has begun a later refresh.
    ///
    /// - Throws: as ``save(_:)``.
    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<Token> {
        try await serialTasks.run { [self] in
            if try await saveAtOnce(stored, replacing: condition, ending: intent) { return .saved }
            while true {
                try Task.checkCancellation()
                let found = try await find(for: condition == .anything ? .signIn : .refresh)
                // The token is stored already: the answer to an earlier try was lost.
                if let opened = found.opened, found.sealer.holds(stored, opened) {
                    try await end(intent)
                    return .saved
                }
                guard condition.allows(found.opened?.stored, absence: found.absence) else {
                    return .refused(found.opened?.stored)
                }
                if try await put(stored, in: found, replacing: condition, ending: intent) { return .saved }
                guard try await read().sealed == found.row.sealed else { continue }
                if let opened = found.opened { return .refused(opened.stored) }
                // `.refused(nil)` would end the session.
                throw TokenStoreError(.timedOut, "another host has the lease; the token is saved once it has ended")
            }
        }
    }

    /// Yields an element when another host may have signed the user out or in. `nil` if the fleet does not listen.
    public var changes: AsyncStream<Void>? {
        fleet.news?.changes(of: SQLText.hex(fleet.place.rowKey.row(client: client, account: account)))
    }

    public func clear() async throws {
        try await serialTasks.run { [self] in
            forget()
            _ = try await query(RowStatements.clear)
            await fleet.announce(client: client, account: account)
        }
    }

    /// Writes or removes the intent under the lease of this store.
    ///
    /// - Throws: `TokenStoreError`: `timedOut` if another host has the lease.
    public func setIntent(_ intent: RefreshIntent?) async throws {
        let lease = held.withLock { $0?.uuidString }
        guard let intent else {
            _ = try await query(RowStatements.removeIntent, [lease])
            return
        }
        guard try await !query(RowStatements.leaveIntent, [lease, SQLText.intent(intent)]).isEmpty else {
            throw TokenStoreError(.timedOut, "the lease has ended, and another host has taken it; try again later")
        }
    }

    // MARK: - The row

    /// The operation that opens the row. It determines which tokens may be set aside.
    private enum Purpose { case load, signIn, refresh }

    private struct Found: Sendable {
        let row: TokenRow
        let sealer: StoredTokenSealer<Token>
        let opened: StoredTokenSealer<Token>.Opened?
        let absence: TokenAbsence
    }

    /// - Parameter parameters: those from `$2` on.
    func query(_ statement: String, _ parameters: [String?] = []) async throws -> [[String?]] {
        try await fleet.query { [client, account] place in
            (statement, [SQLText.bytes(place.rowKey.row(client: client, account: account))] + parameters)
        }
    }

    private func read() async throws -> TokenRow {
        let row = try TokenRow(try await query(RowStatements.load))
        if row.place == fleet.place.id { return row }
        try await fleet.reopen()
        return try TokenRow(try await query(RowStatements.load))
    }

    /// Drops the results of earlier reads.
    private func forget() {
        leasedRow.withLock { $0 = nil }
        _ = known.exchange(nil)
    }

    /// Returns the row from when the lease was acquired, once and within a second of it; otherwise reads the row.
    private func readForLoad() async throws -> TokenRow {
        if let leased = leasedRow.exchange(nil), fleet.clock.uptime <= leased.until,
            leased.row.place == fleet.place.id
        {
            return leased.row
        }
        return try await read()
    }

    /// Opens the row. A token that cannot be opened is set aside if the purpose allows it; a save then continues.
    private func find(for purpose: Purpose) async throws -> Found {
        while true {
            let row = try await purpose == .load ? readForLoad() : read()
            let sealer: StoredTokenSealer<Token> = fleet.keys.sealer(
                row: fleet.place.rowKey.row(client: client, account: account))
            guard let sealed = row.sealed else {
                return Found(row: row, sealer: sealer, opened: nil, absence: absence(in: row))
            }
            do {
                let opened = try await sealer.open(sealed)
                seenPlace.withLock { $0 = row.place }
                return Found(row: row, sealer: sealer, opened: opened, absence: .gone)
            } catch let problem as EnvelopeProblem {
                let mayMove = problem.place == .setAside || problem.place == .makesRoom && purpose == .signIn
                guard mayMove else { throw problem.error("it was left where it is") }
                _ = try await query(RowStatements.setAside, [SQLText.bytes(sealed)])
                if purpose == .load { throw problem.error("it was moved to request_authorization_set_aside") }
            }
        }
    }

    private func absence(in row: TokenRow) -> TokenAbsence {
        if let seen = seenPlace.withLock({ $0 }), seen != row.place { return .placeMissing }
        return row.wasSetAside ? .setAside : .gone
    }

    /// Replaces the row of the last load without reading it again, because a refresh has just read it under its lease.
    ///
    /// - Returns: `false` if the token was not saved and the row must be read.
    private func saveAtOnce(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> Bool {
        let found = known.exchange(nil)
        forget()
        guard case .older = condition, let found, let opened = found.opened, condition.allows(opened.stored) else {
            return false
        }
        return try await put(stored, in: found, replacing: condition, ending: intent)
    }

    /// - Returns: `false` if the row has changed, or another host has the lease.
    private func put(
        _ stored: StoredToken<Token>, in found: Found, replacing condition: TokenSaveCondition,
        ending intent: RefreshIntent?
    ) async throws -> Bool {
        let item = try await found.sealer.seal(stored, after: found.opened)
        let isRefresh = if case .older = condition { true } else { false }
        var parameters = [
            stored.statusText, stored.version.session.uuidString, "\(stored.version.generation)", SQLText.bytes(item),
            SQLText.seconds(stored.obtainedAt), try intent.map(SQLText.intent), held.withLock { $0?.uuidString },
            isRefresh ? "true" : "false",
        ]
        let statement = found.opened == nil ? RowStatements.insert : RowStatements.replace
        if let opened = found.opened { parameters.append(SQLText.bytes(opened.item)) }
        guard try await !query(statement, parameters).isEmpty else { return false }
        seenPlace.withLock { $0 = found.row.place }
        if found.opened?.stored.version.session != stored.version.session || stored.token == nil {
            await fleet.announce(client: client, account: account)
        }
        return true
    }

    private func end(_ intent: RefreshIntent?) async throws {
        guard let intent, try await loadWithIntent().intent == intent else { return }
        try await setIntent(nil)
    }
}

extension StoredToken {
    /// The value of the column `status`, for people and for ``PostgreSQLTokens``.
    fileprivate var statusText: String {
        switch content {
        case .token: "token"
        case .signedOut: "signed out"
        case .moved: "moved"
        }
    }
}
#endif
