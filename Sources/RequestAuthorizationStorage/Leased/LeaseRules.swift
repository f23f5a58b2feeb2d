// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Who may write what into a record, and when a token request may be sent.
///
/// It makes no calls and reads no clock: the caller passes times, which are uptimes of its own clock. The numbers in the
/// comments are the steps in `Documentation/Design/Fleet.md`. A test explores two hosts with all pauses.
struct LeaseRules: Hashable, Sendable {
    /// The duration of a lease without renewal.
    let length: Duration

    /// The lease of another host, as seen last.
    private struct Watched: Hashable, Sendable {
        let holder: UUID
        let beat: UInt64
        let since: Duration
    }

    /// The lease of this store.
    private struct Held: Hashable, Sendable {
        let id: UUID
        /// The uptime before it was last asked for.
        var askedAt: Duration
        /// The uptime before the intent was asked for.
        var intentAskedAt: Duration?
        /// Another host may have the lease, or the record has changed: nothing may be sent.
        var isOver = false
    }

    /// Belongs to the store and not to a call: a call may be too short to see a whole lease.
    private var watched: Watched?
    private var held: Held?

    init(length: Duration) { self.length = length }

    /// The id of this store's lease, until it is released.
    var id: UUID? { held?.id }

    /// Whether a record shows this store's lease.
    func isHolder(in record: LeasedRecord) -> Bool { held.map { record.holder == $0.id } ?? false }

    // MARK: - The lease

    /// Step 1: remembers the lease of another host.
    ///
    /// - Parameter answeredAt: the uptime after the record was read. A holder counts from before it asked, so its lease
    ///   ends earlier than a whole one from here.
    mutating func watch(_ record: LeasedRecord?, answeredAt: Duration) {
        guard let record, let holder = record.holder else { return watched = nil }
        if watched?.holder == holder, watched?.beat == record.beat { return }
        watched = Watched(holder: holder, beat: record.beat, since: answeredAt)
    }

    /// Step 2: the record with a new lease, or `nil` if another host may have one.
    ///
    /// - Parameters:
    ///   - id: a new id, or that of an earlier try.
    ///   - now: the uptime before the record is replaced.
    ///   - unchangedFor: how long the record has been unchanged by the clock of the database.
    func leasing(_ record: LeasedRecord, as id: UUID, at now: Duration, unchangedFor: Duration?) -> LeasedRecord? {
        guard isFree(record, for: id, at: now, unchangedFor: unchangedFor) else { return nil }
        var record = record
        record.holder = id
        record.beat &+= 1
        return record
    }

    private func isFree(_ record: LeasedRecord, for id: UUID, at now: Duration, unchangedFor: Duration?) -> Bool {
        // Its own lease was written, and the answer lost. Another beat renews it.
        guard let holder = record.holder, holder != id else { return true }
        let ending = length * 1.05
        if let unchangedFor, unchangedFor >= ending { return true }
        guard let watched, watched.holder == holder, watched.beat == record.beat else { return false }
        return now - watched.since >= ending
    }

    /// Step 2, once the record is stored.
    ///
    /// - Parameter askedAt: the uptime before the first request.
    mutating func granted(_ id: UUID, askedAt: Duration) {
        held = Held(id: id, askedAt: askedAt)
        watched = nil
    }

    /// Step 4: the record with a renewed lease, or `nil` if another host has it.
    func renewing(_ record: LeasedRecord) -> LeasedRecord? {
        guard isHolder(in: record), held?.isOver == false else { return nil }
        var record = record
        record.beat &+= 1
        return record
    }

    /// Step 4, once the record is stored.
    mutating func renewed(_ id: UUID, askedAt: Duration) {
        guard held?.id == id, held?.isOver == false else { return }
        held?.askedAt = askedAt
    }

    /// The lease is another's, or a write under it got no answer: nothing more may be sent.
    mutating func end() { held?.isOver = true }

    /// Step 8: the record without this store's lease, or `nil` if it does not have it.
    static func releasing(_ record: LeasedRecord, of id: UUID) -> LeasedRecord? {
        guard record.holder == id else { return nil }
        var record = record
        record.holder = nil
        return record
    }

    /// Step 8: forgets the lease at once. It must not be used while it is released.
    mutating func released(_ id: UUID) { if held?.id == id { held = nil } }

    // MARK: - The token request

    /// What may be done with an intent.
    enum IntentDecision: Hashable {
        case write(LeasedRecord)
        /// The item is another one than the host has read: it was refreshed, or the session has ended.
        case itemHasChanged
        /// Another host has the lease, or nobody.
        case isNotHolder
    }

    /// Step 5: the intent is allowed for the holder, while the record has the very item that this host has read.
    ///
    /// - Parameter basis: the item that the host has read.
    func announcing(_ intent: Data, for basis: Data?, in record: LeasedRecord) -> IntentDecision {
        guard let held, !held.isOver, record.holder == held.id else { return .isNotHolder }
        guard record.item == basis else { return .itemHasChanged }
        var record = record
        (record.intent, record.intentLease) = (intent, held.id)
        return .write(record)
    }

    /// Step 5, once the record is stored.
    mutating func announced(_ id: UUID, askedAt: Duration) { if held?.id == id { held?.intentAskedAt = askedAt } }

    /// Whether this store's lease counts by its own clock. No other store may acquire one meanwhile.
    func counts(at now: Duration) -> Bool { held.map { !$0.isOver && $0.askedAt + length > now } ?? false }

    /// Step 6: how long the lease lasts for a token request; zero if none may be sent.
    func remaining(at now: Duration) -> Duration {
        guard let held, counts(at: now) else { return .zero }
        // The host may have been stopped since it wrote its intent.
        if let intentAskedAt = held.intentAskedAt, now - intentAskedAt >= length / 2 { return .zero }
        return held.askedAt + length - now
    }

    // MARK: - The token

    /// Step 7: the generation under which a token of a session is saved; `nil` if it is discarded.
    ///
    /// - Parameters:
    ///   - version: the token's session and the generation after the one it replaces.
    ///   - stored: the session and generation of the record.
    ///   - isHolder: whether the record shows this store's lease.
    static func generation(for version: TokenVersion, over stored: TokenVersion, isHolder: Bool) -> Int? {
        guard version.session == stored.session else { return nil }
        // 7a: with the lease or without. Waiting for it would lose a race with the next host.
        if stored.generation < version.generation { return version.generation }
        // 7b: both hosts have spent the same token, and the holder did so later. Another version for another token:
        // hosts that have adopted the first one see the second.
        return isHolder && stored.generation == version.generation ? version.generation + 1 : nil
    }
}
