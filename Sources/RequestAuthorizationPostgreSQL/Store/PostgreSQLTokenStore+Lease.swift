// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

extension PostgreSQLTokenStore {
    /// Acquires the lease. While another host has it, tries again after 50 ms to 1 s.
    ///
    /// The lease is renewed until it is released. It holds no connection.
    ///
    /// - Throws: `TokenStoreError`: `timedOut` if the limit is over; `CancellationError` at once when the task is
    ///   cancelled.
    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        let id = UUID()
        let end = fleet.clock.uptime + limit
        var pauses = LeasePauses()
        while true {
            try Task.checkCancellation()
            // Read before the request, so that the lease ends later in the database than here.
            let askedAt = fleet.clock.uptime
            if let row = try await take(id) {
                guard row.place == fleet.place.id else {
                    // The tables were made again and have other row keys, so this lease is on the wrong row.
                    _ = try await query(RowStatements.release, [id.uuidString])
                    try await fleet.reopen()
                    continue
                }
                leasedRow.withLock { $0 = (row, askedAt + .seconds(1)) }
                return lock(id, askedAt: askedAt)
            }
            let remaining = end - fleet.clock.uptime
            guard remaining > .zero else {
                throw TokenStoreError(
                    .timedOut, "another host has kept the lease for \(limit): it refreshes the token; try again later")
            }
            try await fleet.clock.sleep(for: min(pauses.next(), remaining))
        }
    }

    // MARK: -

    /// - Returns: the row, or `nil` if another host has the lease.
    private func take(_ id: UUID) async throws -> TokenRow? {
        do {
            let rows = try await query(RowStatements.lease, [id.uuidString, SQLText.seconds(fleet.lease)])
            return rows.isEmpty ? nil : try TokenRow(rows)
        } catch {
            if Self.mayHaveBeenRun(after: error) {
                // The lease may be ours, and would make other hosts wait until it ends.
                Task { _ = try? await self.query(RowStatements.release, [id.uuidString]) }
            }
            throw error
        }
    }

    /// Whether the server may have run a statement that failed.
    private static func mayHaveBeenRun(after error: any Error) -> Bool {
        if error is CancellationError { return true }
        let code = ((error as? TokenStoreError)?.underlying as? PostgreSQLError)?.code
        return code == .connectionLost || code == .timedOut
    }

    private func lock(_ id: UUID, askedAt: Duration) -> TokenStoreLock {
        held.withLock { $0 = id }
        let lease = HeldLease(
            length: fleet.lease, askedAt: askedAt, clock: fleet.clock,
            renew: { [self] in
                try await !query(RowStatements.renew, [id.uuidString, SQLText.seconds(fleet.lease)]).isEmpty
            },
            release: { [self] in
                held.withLock { if $0 == id { $0 = nil } }
                leasedRow.withLock { $0 = nil }
                _ = try? await query(RowStatements.release, [id.uuidString])
            })
        return TokenStoreLock(
            requestDeadline: fleet.requestDeadline, remaining: { lease.remaining }, release: lease.end)
    }
}

/// Random pauses between tries to acquire a lease, from 50 ms up to a bound that grows from 100 ms to 1 s.
struct LeasePauses {
    private var bound = 0.1

    mutating func next() -> Duration {
        defer { bound = min(bound * 1.5, 1) }
        return .seconds(Double.random(in: 0.05...bound))
    }
}
#endif
