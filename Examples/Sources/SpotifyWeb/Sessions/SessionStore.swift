// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import RequestAuthorization

/// The sessions of one server, in memory, limited in number and age.
actor SessionStore<Pending: Sendable, Account: Sendable>: BrowserSessions {
    private struct Visitor {
        /// When the latest log-in began.
        var beganAt: Date
        var pending: [Pending]
    }

    private struct Entry {
        let session: Session<Account>
        let createdAt: Date
        var usedAt: Date
    }

    private var visitors: [SessionSecret: Visitor] = [:]
    private var entries: [SessionSecret: Entry] = [:]
    private var nextSweep = Date.distantPast
    private var generator: any RandomNumberGenerator & Sendable
    private let limits: SessionLimits
    private let clock: any AuthorizationClock

    init(
        limits: SessionLimits = SessionLimits(), clock: any AuthorizationClock = .system,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.limits = limits
        self.clock = clock
        self.generator = generator
    }

    /// The number of visitors and of sessions.
    var counts: (visitors: Int, sessions: Int) { (visitors.count, entries.count) }

    func add(_ pending: Pending, of id: SessionSecret?) -> SessionSecret {
        removeOld()
        if let id, isAlive(visitor: id) {
            visitors[id]?.beganAt = clock.now
            visitors[id]?.pending.append(pending)
            if let count = visitors[id]?.pending.count, count > limits.pendingPerVisitor {
                visitors[id]?.pending.removeFirst(count - limits.pendingPerVisitor)
            }
            return id
        }
        makeRoom(in: &visitors, for: limits.visitors, oldestBy: \.beganAt)
        let id = newSecret()
        visitors[id] = Visitor(beganAt: clock.now, pending: [pending])
        return id
    }

    func isVisitor(_ id: SessionSecret?) -> Bool { id.map { isAlive(visitor: $0) } ?? false }

    func take(of id: SessionSecret?, where matches: @Sendable (Pending) -> Bool) -> Pending? {
        removeOld()
        guard let id, isAlive(visitor: id), let index = visitors[id]?.pending.firstIndex(where: matches) else {
            return nil
        }
        return visitors[id]?.pending.remove(at: index)
    }

    func begin(_ account: Account, insteadOf id: SessionSecret?) -> Session<Account> {
        removeOld()
        if let id {
            visitors[id] = nil
            entries[id] = nil
        }
        makeRoom(in: &entries, for: limits.sessions, oldestBy: \.usedAt)
        let session = Session(id: newSecret(), formToken: newSecret(), account: account)
        entries[session.id] = Entry(session: session, createdAt: clock.now, usedAt: clock.now)
        return session
    }

    func session(of id: SessionSecret?) -> Session<Account>? {
        removeOld()
        guard let id, isAlive(session: id) else { return nil }
        entries[id]?.usedAt = clock.now
        return entries[id]?.session
    }

    func end(_ id: SessionSecret?) {
        guard let id else { return }
        visitors[id] = nil
        entries[id] = nil
    }

    // MARK: -

    private func newSecret() -> SessionSecret { SessionSecret(using: &generator) }

    private func isAlive(visitor id: SessionSecret) -> Bool { visitors[id].map { clock.now < end(of: $0) } ?? false }
    private func isAlive(session id: SessionSecret) -> Bool { entries[id].map { clock.now < end(of: $0) } ?? false }

    private func end(of visitor: Visitor) -> Date { visitor.beganAt + limits.visitorAge.timeInterval }
    private func end(of entry: Entry) -> Date {
        min(entry.createdAt + limits.age.timeInterval, entry.usedAt + limits.idle.timeInterval)
    }

    /// Removes what has expired. It runs at most once a minute, because it checks all entries.
    private func removeOld() {
        let now = clock.now
        guard now >= nextSweep else { return }
        nextSweep = now + 60
        visitors = visitors.filter { now < end(of: $0.value) }
        entries = entries.filter { now < end(of: $0.value) }
    }

    private func makeRoom<Value>(
        in table: inout [SessionSecret: Value], for limit: Int, oldestBy date: KeyPath<Value, Date>
    ) {
        while table.count >= max(limit, 1) {
            guard let oldest = table.min(by: { $0.value[keyPath: date] < $1.value[keyPath: date] }) else { return }
            table[oldest.key] = nil
        }
    }
}

extension Duration {
    fileprivate var timeInterval: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
