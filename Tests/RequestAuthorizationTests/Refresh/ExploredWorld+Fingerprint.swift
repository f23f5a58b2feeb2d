// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

/// Distinguishes worlds that can behave differently; names and absolute times do not count.
struct Fingerprint: Hashable {
    let high: Int
    let low: Int

    init(_ world: ExploredWorld) {
        var signedOutAt: Date?
        let content = world.writing?.job.content ?? world.state.vault.unsaved?.content
        if case .tombstone(_, let date, _)? = content { signedOutAt = date }
        var writer = FingerprintWriter(now: world.now, signedOutAt: signedOutAt)
        writer.write(world)
        (high, low) = writer.finish()
    }
}

private struct FingerprintWriter {
    typealias State = ExploredWorld.State

    let now: Moment
    /// The date of a sign-out that is not stored yet. A sibling's sign-in counts if it is later.
    let signedOutAt: Date?
    private var words: [Int] = []
    private var tokens: [Int] = []
    private var sessions: [Int] = []
    /// The positions of generations, which are counted from the lowest one of their session.
    private var generations: [(at: Int, session: Int)] = []

    init(now: Moment, signedOutAt: Date?) {
        (self.now, self.signedOutAt) = (now, signedOutAt)
        words.reserveCapacity(160)
    }

    mutating func finish() -> (Int, Int) {
        var lowest = [Int](repeating: .max, count: sessions.count)
        for (at, session) in generations { lowest[session] = min(lowest[session], words[at]) }
        for (at, session) in generations { words[at] -= lowest[session] }
        return words.withUnsafeBytes { bytes in
            var (high, low) = (Hasher(), Hasher())
            high.combine(bytes: bytes)
            low.combine(1)
            low.combine(bytes: bytes)
            return (high.finalize(), low.finalize())
        }
    }

    // MARK: Names and times

    private mutating func write(_ number: Int) { words.append(number) }
    private mutating func write(_ flag: Bool) { words.append(flag ? 1 : 0) }
    private mutating func write(_ a: Bool, _ b: Bool, _ c: Bool = false, _ d: Bool = false, _ e: Bool = false) {
        var word = a ? 1 : 0
        if b { word += 2 }
        if c { word += 4 }
        if d { word += 8 }
        if e { word += 16 }
        words.append(word)
    }
    private mutating func write(until date: Date) { write(date > now.date) }
    private mutating func write(until uptime: Duration) { write(uptime > now.uptime) }

    private static func name(of thing: Int, in names: inout [Int]) -> Int {
        if let name = names.firstIndex(of: thing) { return name }
        names.append(thing)
        return names.count - 1
    }

    private mutating func name(_ session: UUID) -> Int {
        Self.name(of: Int(session.uuid.14) << 8 | Int(session.uuid.15), in: &sessions)
    }

    private mutating func write(_ version: TokenVersion?) {
        guard let version else { return write(-1) }
        let session = name(version.session)
        write(session)
        generations.append((words.count, session))
        write(version.generation)
    }

    // MARK: Values

    private mutating func write(_ held: HeldToken?) {
        guard let held else { return write(-1) }
        write(Self.name(of: held.number, in: &tokens))
        write(held.version)
        let youth = held.obtainedAt.addingTimeInterval(0.1 * ExploredToken.lifetime)
        write(held.problem == nil, held.expiresAt > now.date, held.refreshAt > now.date, youth > now.date)
    }

    private mutating func write(_ item: StoredItem?) {
        guard let item else { return write(-1) }
        write(item.version)
        write(item.token)
        write(signedOutAt.map { item.obtainedAt <= $0 } ?? false)
    }

    private mutating func write(_ intent: RefreshIntent?) {
        write(intent.map { TokenVersion(session: $0.session, generation: $0.generation) })
    }

    private mutating func write(_ condition: TokenSaveCondition) {
        switch condition {
        case .anything: write(0)
        case .nothing: write(3)
        case .session(let session):
            write(1)
            write(name(session))
        case .older(let session, let generation):
            write(2)
            write(TokenVersion(session: session, generation: generation))
        }
    }

    private mutating func write(_ failure: RefreshFailure?) {
        guard let failure else { return write(-1) }
        let kind =
            switch failure.kind {
            case .terminal: 0
            case .client, .interaction: 1
            case .transient: 2
            case .noRefreshToken: 3
            }
        write(kind)
        write(failure.error is NotAuthorized, failure.isLoss)
    }

    private mutating func write(_ backOff: BackOff) {
        write(until: backOff.slot)
        write(until: backOff.ordered)
    }

    private mutating func write(_ step: Exchange.Step?) {
        switch step {
        case nil: write(-1)
        case .load: write(0)
        case .lock: write(1)
        case .reread: write(2)
        case .intent(let intent):
            write(3)
            write(intent)
        case .refresh(let held):
            write(4)
            write(held)
        case .initial: write(5)
        case .verify(let failure):
            write(6)
            write(failure)
        }
    }

    private mutating func write(_ content: Vault.Content) {
        switch content {
        case .nothing: write(0)
        case .token(let held, let condition):
            write(1)
            write(held)
            write(condition)
        case .tombstone(let version, let date, let condition):
            write(2)
            write(version)
            write(date < now.date)
            write(condition)
        }
    }

    // MARK: The whole

    mutating func write(_ world: ExploredWorld) {
        let state = world.state
        write(state.holding)
        if let held = state.held, state.policy.aheadOfExpiry.patience != nil {
            write(until: held.expiresAt.addingTimeInterval(-4))
        }
        write(name(state.line.session))
        write(state.pace.failure)
        write(state.pace.backOff)
        write(state.pace.storm.isActive(at: now.uptime, policy: state.policy.storm))
        write(state.pace.longest != nil)
        writeFlights(of: world)
        writeHands(of: world)
        writeStore(of: world)
        writeProgram(of: world)
        let (ordinary, lasting) = (world.ordinary.count, world.lasting.count)
        write(ordinary * 8 + lasting)
        write(world.callers.count { $0.session == nil && $0.kind == .ordinary })
        write(world.callers.count { $0.session == nil && $0.kind == .lasting })
        for caller in world.callers {
            // Only in milliseconds: slots are not finer.
            let end = caller.patience ?? caller.arrival + state.policy.backOff.patience
            let isWaitingForSlot = state.flight == nil && !state.isHolding
            let left = caller.patience == nil && !isWaitingForSlot ? -1 : max(0, (end - now.uptime).seconds * 1_000)
            write(Int(left) * 2 + (caller.patience == nil ? 1 : 0))
        }
        write(world.wake.map { $0 <= now.uptime } ?? false)
        write(state.line.lastHeld.map { name($0) } ?? -1)
        // The relative order of waiters in two different queues does not matter.
        write(world.isRefreshing)
        switch world.announced {
        case .nothing: write(-1)
        case .invalidated: write(-2)
        case .updated(let number): write(Self.name(of: number, in: &tokens))
        }
        for held in world.fresh { write(held) }
        for number in world.tried { write(Self.name(of: number, in: &tokens)) }
        write(-3)
        for number in world.refused { write(Self.name(of: number, in: &tokens)) }
        for session in world.removed { write(name(session)) }
        var over = 0
        for session in world.over {
            let number = Int(session.uuid.14) << 8 | Int(session.uuid.15)
            if let name = sessions.firstIndex(of: number) { over |= 1 << name }
        }
        write(over)
        var siblings = 0
        for session in world.sessionsOfSiblings {
            let number = Int(session.uuid.14) << 8 | Int(session.uuid.15)
            if let name = sessions.firstIndex(of: number) { siblings |= 1 << name }
        }
        write(siblings)
    }

    private mutating func write(_ credential: State.Holding) {
        switch credential {
        case .unknown: write(0)
        case .absent: write(1)
        case .ended(let ending):
            write(2)
            write(ending.error.reason == .signedOut)
        case .held(let held, let use):
            write(3)
            write(held)
            write(use.isRefused, use == .last)
            if case .trusted(let end) = use { write(Int((end - now.uptime).seconds * 1_000)) }
        }
    }

    private mutating func writeFlights(of world: ExploredWorld) {
        let (state, policy) = (world.state, world.state.policy)
        if let flight = state.flight {
            write(flight.basis)
            write(flight.step)
            write(state.calling == nil)
            let age = now.uptime - flight.beganAt
            write(
                flight.isDraining, flight.isOutOfPatience, age < policy.deadline, age < policy.deadline * 2)
            if policy.aheadOfExpiry.patience != nil {
                write(world.patienceEnd.map { max(0, Int(($0 - now.uptime).seconds * 1_000)) } ?? -1)
            }
            if flight.isDraining { write(until: world.graceEnd(of: flight)) }
            if let runner = world.runners.first(where: { $0.id == flight.id }) { write(runner.landed) }
        }
        write(-4)
        for runner in world.runners where runner.id != state.flight?.id {
            write(runner.step)
            write(runner.isLeftOver)
        }
        write(-9)
    }

    private mutating func write(_ landed: Exchange.Outcome?) {
        guard case .loaded(let item, let intent, let absence)? = landed else { return write(-1) }
        write(item)
        write(absence == .gone)
        write(intent)
    }

    private mutating func writeHands(of world: ExploredWorld) {
        for hand in world.hands {
            guard let manual = world.state.signIn, manual.id == hand.id else { continue }
            let deadline = manual.beganAt + world.state.policy.deadline
            write(manual.isHolding, manual.isAwaited, deadline > now.uptime)
        }
        write(-5)
    }

    private mutating func writeStore(of world: ExploredWorld) {
        let state = world.state
        guard state.vault.kind != .none else { return }
        write(world.stored)
        write(world.absence == .gone, state.vault.session == state.line.session)
        if state.vault.kind == .readOnly { writeLeft(of: world) }
        write(world.intent)
        write(state.vault.writer)
        write(world.isWriteDue, world.isStoreOurs, world.isLost, world.isIntentOurs)
        if let access = state.vault.access {
            write(
                access.owner == access.user, access.user == state.flight?.id, access.intent.isOpen,
                access.intent.isLost,
                access.intent != .absent)
        }
        write(world.lock == nil ? -6 : -7)
        write(world.lateWrite)
        write(world.writing?.job)
        if case .refused(let item)? = world.writing?.landed { write(item) }
        guard let look = world.look else { return write(-8) }
        write(look.basis == state.basis)
        write(look.item)
        write(look.absence == .gone)
        write(look.intent)
    }

    /// What must not come back, compared with what is stored.
    private mutating func writeLeft(of world: ExploredWorld) {
        let (vault, stored) = (world.state.vault, world.stored?.version.session)
        write(vault.session == nil, vault.session == stored, vault.left == stored)
        write(stored.map { world.signedOut.contains($0) } ?? false, vault.leftAt != nil)
        if let leftAt = vault.leftAt { write(world.stored.map { $0.obtainedAt < leftAt } ?? false) }
    }

    private mutating func write(_ order: Vault.Order) {
        switch order.news {
        case nil: write(0)
        case .refreshed: write(1)
        case .signedIn(_, let signIn): write(signIn.isAwaited ? 2 : 3)
        case .ended: write(4)
        }
        write(order.content)
        write(order.failure == nil)
        write(until: order.backOff.slot)
    }

    private mutating func write(_ writer: Vault.Writer) {
        switch writer {
        case .idle: write(0)
        case .due(let order):
            write(1)
            write(order)
        case .writing(let order, let next):
            write(2)
            write(order)
            if let next { write(next) }
        case .waiting(let order):
            write(3)
            write(order)
        }
    }

    private mutating func write(_ job: Vault.Job?) {
        guard let job else { return write(-1) }
        write(job.ends != nil)
        write(job.content)
    }

    private mutating func writeProgram(of world: ExploredWorld) {
        let state = world.state
        write(state.life == .running, state.isShutDown, state.vault.isClosed)
        write(world.discards)
    }
}

extension Vault.Intent {
    fileprivate var isOpen: Bool { if case .open = self { true } else { false } }
    fileprivate var isLost: Bool { if case .lost = self { true } else { false } }
}
