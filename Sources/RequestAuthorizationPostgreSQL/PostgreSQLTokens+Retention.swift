// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

extension PostgreSQLTokens {
    /// The number of rows.
    public struct Counts: Hashable, Sendable {
        /// The number of users with a token.
        public let tokens: Int
        /// The number of users without one, whose rows ``removeEnded(olderThan:)`` removes in time.
        public let ended: Int
    }

    /// Counts the rows. It reads the whole table.
    ///
    /// - Throws: `TokenStoreError`.
    public func counts() async throws -> Counts {
        let rows = try await fleet.query { _ in (Self.count, []) }
        guard let row = rows.first, row.count == 2, let tokens = row[0].flatMap({ Int($0) }),
            let ended = row[1].flatMap({ Int($0) })
        else { throw TokenStoreError(.failed, "the database did not return the two counts; check its driver") }
        return Counts(tokens: tokens, ended: ended)
    }

    /// Removes the rows of ended sessions: tombstones, moved tokens, and rows that never had a token.
    ///
    /// A host that has not seen the sign-out by then finds no row, which ends its session too.
    ///
    /// - Parameter days: how many days ago the session must have ended; 30 by default.
    /// - Returns: the number of removed rows.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    public func removeEnded(olderThan days: Int = 30) async throws -> Int {
        try await fleet.query { _ in (Self.prune, ["\(max(0, days))"]) }.count
    }

    /// Removes all data of one user, the tombstone too. This ends the session on all hosts.
    ///
    /// The token is not revoked at the authorization server; call `signOut()` first for that.
    ///
    /// - Parameters:
    ///   - client: the client id.
    ///   - account: the owner of the token.
    /// - Returns: whether the user had a row.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    public func remove(client: String, account: String) async throws -> Bool {
        let rows = try await fleet.query { place in
            (Self.remove, [SQLText.bytes(place.rowKey.row(client: client, account: account))])
        }
        await fleet.announce(client: client, account: account)
        return !rows.isEmpty
    }

    // MARK: -

    private static let count = """
        SELECT (count(*) FILTER (WHERE status = 'token'))::text, (count(*) FILTER (WHERE status <> 'token'))::text
        FROM request_authorization_tokens
        """

    private static let prune = """
        DELETE FROM request_authorization_tokens
        WHERE status <> 'token' AND lease_until < clock_timestamp()
            AND changed_at <= clock_timestamp() - $1::text::integer * interval '1 day'
        RETURNING true::text
        """

    private static let remove = """
        WITH aside AS (DELETE FROM request_authorization_set_aside WHERE row_key = $1::text::bytea)
        DELETE FROM request_authorization_tokens WHERE row_key = $1::text::bytea RETURNING true::text
        """
}
#endif
