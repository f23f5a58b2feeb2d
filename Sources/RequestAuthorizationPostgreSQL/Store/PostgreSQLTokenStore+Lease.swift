// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
public import RequestAuthorization
import RequestAuthorizationStorage

extension PostgreSQLTokenStore {
    /// Takes the lease, waiting for a host that has it: asks again after 50 ms to 1 s.
    ///
    /// It is renewed until it is given up. No connection is held.
    ///
    /// - Throws: `TokenStoreError`: `timedOut` if it was not to be had in time; `CancellationError` at once when the task is
    ///   cancelled.
    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        let id = UUID()
        let end = fleet.clock.uptime + limit
        var pauses = LeasePauses()
        while true {
            try Task.checkCancellation()
            // Before it is asked for, so that the database's count ends later than this one.
            let askedAt = fleet.clock.uptime
            if let row = try await take(id) {
                guard row.place == fleet.place.id else {
                    // A lease in tables that were made again, on a row that has another key there.
                    _ = try await query(RowStatements.release, id.uuidString)
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

    /// - Returns: the row as it was then; `nil` if another has the lease.
    private func take(_ id: UUID) async throws -> TokenRow? {
        do {
            let rows = try await query(RowStatements.lease, id.uuidString, SQLText.seconds(fleet.lease))
            return rows.isEmpty ? nil : try TokenRow(rows)
        } catch {
            if Self.mayHaveBeenRun(after: error) {
                // Then it is ours, and would keep others waiting until its end.
                Task { _ = try? await self.query(RowStatements.release, id.uuidString) }
            }
            throw error
        }
    }

    /// Whether a statement that failed may have been run.
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
                try await !query(RowStatements.renew, id.uuidString, SQLText.seconds(fleet.lease)).isEmpty
            },
            release: { [self] in
                held.withLock { if $0 == id { $0 = nil } }
                leasedRow.withLock { $0 = nil }
                _ = try? await query(RowStatements.release, id.uuidString)
            })
        return TokenStoreLock(requestDeadline: fleet.requestDeadline, remaining: { lease.remaining }) {
            await lease.end()
        }
    }
}

/// How long to wait for a lease: 50 ms at first, then longer, 1 s at most; at random, so that hosts do not ask in step.
struct LeasePauses {
    private var bound = 0.1

    mutating func next() -> Duration {
        defer { bound = min(bound * 1.5, 1) }
        return .seconds(Double.random(in: 0.05...bound))
    }
}
#endif
