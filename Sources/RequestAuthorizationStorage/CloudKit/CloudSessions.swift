// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The iCloud accounts and the sessions that a store has seen.
///
/// A write may be pending while the store loads: a load does not change to whom a session belongs, nor what a removal
/// ends.
struct CloudSessions: Sendable {
    /// The account of the token that the store has last loaded or saved.
    var account: String?
    /// The session that the store has last loaded or saved.
    private var session: UUID?
    /// The session of the last save, whose answer may have been lost.
    var tried: UUID?
    /// A removal that has not succeeded yet: its account, and the session that it ends, as soon as they are known.
    private var removal: (account: String?, session: UUID?)?
    /// The last sessions, each with the account in which it was seen first. `isKept`: it was loaded or saved.
    private var seen: [(session: UUID, account: String?, isKept: Bool)] = []

    /// The number of sessions that are remembered.
    private static let limit = 16

    /// Whether a session was loaded or saved. A save that has failed does not count.
    func hasKept(_ session: UUID) -> Bool { seen.contains { $0.session == session && $0.isKept } }

    /// Whether a write is for this account. If none is known yet, it counts from now on.
    ///
    /// - Parameter session: the session to save; `nil` if it was checked before, and for a removal.
    mutating func allowsWrite(of session: UUID?, in current: String) -> Bool {
        account = account ?? current
        if let session { note(session, isKept: false) }
        let owner = seen.first { $0.session == session }?.account
        return [account, owner, removal?.account].allSatisfy { $0 == nil || $0 == current }
    }

    mutating func beginSave(of session: UUID) {
        removal = nil
        note(session, isKept: false)
    }

    mutating func beginRemoval() {
        guard let former = removal else { return removal = (account, session) }
        removal = (former.account ?? account, former.session)
    }

    /// Whether a removal ends the session that the record has. One that another device has begun since stays.
    mutating func removes(_ ended: UUID) -> Bool {
        let known: UUID? = removal.map { $0.session } ?? session
        if known == nil { removal?.session = ended }
        return known == nil || known == ended || tried == ended
    }

    mutating func endRemoval() { removal = nil }

    /// Notes what was loaded or saved.
    mutating func didKeep(_ session: UUID?, in account: String) {
        (self.account, self.session) = (account, session)
        if let session { note(session, isKept: true) }
    }

    private mutating func note(_ session: UUID, isKept: Bool) {
        let former = seen.first { $0.session == session }
        seen.removeAll { $0.session == session }
        seen.append((session, former?.account ?? account, isKept || former?.isKept == true))
        seen = Array(seen.suffix(Self.limit))
    }
}
