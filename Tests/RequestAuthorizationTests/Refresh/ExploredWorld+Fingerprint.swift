// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

/// Tells worlds apart that can behave differently; names and absolute times do not count.
struct Fingerprint: Hashable {
    let high: Int
    let low: Int

    init(_ world: ExploredWorld) {
        var writer = FingerprintWriter(now: world.now)
        writer.write(world)
        (high, low) = writer.finish()
    }
}

private struct FingerprintWriter {
    typealias State = ExploredWorld.State

    let now: Moment
    private var words: [Int] = []
    private var tokens: [Int] = []
    private var sessions: [UUID] = []
    /// Where generations stand, so that they can be counted from the lowest of their session.
    private var generations: [(at: Int, session: Int)] = []

    init(now: Moment) {
        self.now = now
        words.reserveCapacity(128)
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

    private mutating func write(_ token: ExploredToken?) {
        guard let token else { return write(-1) }
        let name = tokens.firstIndex(of: token.number) ?? tokens.count
        if name == tokens.count { tokens.append(token.number) }
        write(name)
        write(token.isMalformed)
        write(until: token.expiresAt)
    }

    private mutating func name(_ session: UUID) -> Int {
        if let name = sessions.firstIndex(of: session) { return name }
        sessions.append(session)
        return sessions.count - 1
    }

    private mutating func write(_ version: TokenVersion?) {
        guard let version else { return write(-1) }
        let session = name(version.session)
        write(session)
        generations.append((words.count, session))
        write(version.generation)
    }

    private mutating func write(until date: Date) { write(date > now.date) }

    private mutating func write(until uptime: Duration) { write(uptime > now.uptime) }

    // MARK: Values

    private mutating func write(_ held: ExploredWorld.Held?) {
        guard let held else { return write(-1) }
        write(held.token)
        write(held.version)
        write(held.isRefused)
        write(until: held.refreshAt)
        write(until: held.obtainedAt.addingTimeInterval(0.1 * ExploredToken.lifetime))
    }

    private mutating func write(_ stored: ExploredWorld.Stored?) {
        guard let stored else { return write(-1) }
        write(stored.version)
        switch stored.content {
        case .token(let token):
            write(0)
            write(token)
        case .signedOut: write(1)
        case .setAside: write(2)
        }
    }

    private mutating func write(_ intent: RefreshIntent?) {
        write(intent.map { TokenVersion(session: $0.session, generation: $0.generation) })
    }

    private mutating func write(_ condition: TokenSaveCondition) {
        switch condition {
        case .anything: write(0)
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
        switch failure.kind {
        case .terminal: write(0)
        case .rejected: write(1)
        case .transient: write(2)
        }
        write(failure.error is NotAuthorized)
    }

    private mutating func write(_ backOff: BackOff) {
        write(until: backOff.slot.uptime)
        write(backOff.isOrdered)
    }

    private mutating func write(_ step: State.Step) {
        switch step {
        case .load: write(0)
        case .lock: write(1)
        case .reread: write(2)
        case .intent(let intent):
            write(3)
            write(intent)
        case .refresh(let token):
            write(4)
            write(token)
        case .initial: write(5)
        case .verify(let failure):
            write(6)
            write(failure)
        case .save(let held, let condition):
            write(7)
            write(held)
            write(condition)
        case .clearIntent: write(8)
        }
    }

    private mutating func write(_ unsaved: State.Unsaved?) {
        guard let unsaved else { return write(-1) }
        switch unsaved.content {
        case .clear: write(0)
        case .save(let stored, let condition):
            write(1)
            write(stored)
            write(condition)
        }
        write(unsaved.isWriting)
        write(unsaved.keepsLock)
        write(unsaved.backOff)
    }

    // MARK: The whole

    mutating func write(_ world: ExploredWorld) {
        write(world.state.credential)
        write(name(world.state.session))
        write(world.state.failure == nil ? 0 : world.state.failure?.error is NotAuthorized ? 1 : 2)
        write(world.state.backOff)
        write(world.state.rejections)
        write(world.state.storm.contains { $0 + .seconds(30) > now.uptime })
        write(world.callers.count)
        write(world.callers.contains { $0.stage == .reserved })
        write(-2)
        writeFlights(of: world)
        writeHands(of: world)
        writeStore(of: world)
        write(world.isRefreshing)
        switch world.announced {
        case .nothing: write(0)
        case .invalidated: write(1)
        case .updated(let token):
            write(2)
            write(token)
        }
        for session in sessions { write(world.over.contains(session)) }
    }

    private mutating func write(_ credential: State.Credential) {
        switch credential {
        case .unknown: write(0)
        case .absent: write(1)
        case .ended(let ending):
            write(2)
            write(ending.error.reason == .signedOut)
        case .held(let held):
            write(3)
            write(held)
        }
    }

    private mutating func writeFlights(of world: ExploredWorld) {
        for flight in world.state.flights {
            write(flight.basis)
            write(flight.isDraining)
            write(flight.isStray)
            write(flight.hasLock)
            write(flight.hasIntent)
            write(flight.isContested)
            switch flight.verdict {
            case nil: write(0)
            case .publish(let held):
                write(1)
                write(held)
            case .fail(let failure):
                write(2)
                write(failure)
            }
            guard let runner = world.runners.first(where: { $0.id == flight.id }) else { continue }
            write(runner.step)
            write(runner.landed)
            write(runner.limits)
        }
        write(-4)
    }

    private mutating func write(_ landed: State.Outcome?) {
        switch landed {
        case nil: write(0)
        case .saved(nil): write(1)
        case .saved(let conflict):
            write(2)
            write(conflict?.stored)
        default: write(3)
        }
    }

    private mutating func writeHands(of world: ExploredWorld) {
        for hand in world.hands {
            let manual = world.state.manuals.first { $0.id == hand.id }
            write(manual == nil ? 0 : manual?.isHolding == true ? 1 : 2)
            write(manual?.pending)
            write(manual?.isContested == true)
            write(hand.isAwaited)
            write(hand.saving != nil)
            write(hand.landed != nil)
        }
        write(-5)
    }

    private mutating func writeStore(of world: ExploredWorld) {
        guard world.state.storage != .none else { return }
        write(world.stored)
        write(world.intent)
        write(world.state.unsaved)
        write(world.isWriteDue)
        write(world.isStoreOurs)
        write(world.lock == .nobody ? 0 : world.lock == .kept ? 1 : 2)
        guard let writing = world.writing else { return write(0) }
        write(writing.landed == nil ? 1 : 2)
        write(writing.unsaved.number == world.state.unsaved?.number)
        write(writing.unsaved)
        if case .success(let conflict) = writing.landed { write(conflict?.stored) }
    }
}
