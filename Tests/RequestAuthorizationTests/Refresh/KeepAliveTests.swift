// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// Sessions that the server ends if nobody uses them.
@Suite(.timeLimit(.minutes(5))) struct KeepAliveTests {
    private static let day = 86_400.0
    private static let policy = RefreshPolicy(jitter: 0, keepsAlive: true)
    private static let start = Moment(date: Date(timeIntervalSince1970: 1_800_000_000), uptime: .seconds(1000))

    /// A token of a minute, obtained at the start, whose session ends unused after some days.
    private func held(
        idle days: Double?, generation: Int = 0, replacing former: HeldToken? = nil, policy: RefreshPolicy = Self.policy
    ) -> HeldToken {
        let token = IdleToken(
            expiresAt: Self.start.date.addingTimeInterval(60),
            refreshNeededBefore: days.map { Self.start.date.addingTimeInterval($0 * Self.day) })
        return TypedToken(
            token, version: TokenVersion(session: UUID(), generation: generation), obtainedAt: Self.start.date,
            replacing: former, policy: policy, random: 0)
    }

    private func state(
        _ held: HeldToken, storage: Vault.Kind = .none, policy: RefreshPolicy = Self.policy
    ) -> RefreshState {
        RefreshState(.held(held, .good), session: held.version.session, storage: storage, policy: FixedPolicy(policy))
    }

    /// The causes of the refreshes that begin when the timer fires.
    private func causes(_ state: inout RefreshState, at now: Moment) -> [RefreshCause] {
        var turn = Turn(Turn.Inputs(now: now, random: 0), isAwaited: false, byUnbound: false)
        state.timePassed(&turn)
        return turn.effects.compactMap { if case .start(let flight, _) = $0 { flight.cause } else { nil } }
    }

    @Test func `the timer is set for four fifths of the time, and begins a refresh then`() {
        var state = state(held(idle: 10))
        #expect(state.nextWake(at: Self.start) == .seconds(1000 + 8 * Self.day))
        let due = Self.start.advanced(by: .seconds(8 * Self.day))
        #expect(causes(&state, at: Self.start.advanced(by: .seconds(8 * Self.day - 1))) == [])
        #expect(causes(&state, at: due) == [.keepAlive])
        // The refresh that is under way serves.
        #expect(causes(&state, at: due.advanced(by: .seconds(1))) == [])
    }

    @Test func `after a clock that was set ahead the refresh begins with the next turn`() {
        var state = state(held(idle: 10))
        let jump = Moment(date: Self.start.date.addingTimeInterval(9 * Self.day), uptime: Self.start.uptime)
        #expect(state.nextWake(at: jump) == Self.start.uptime)
        #expect(causes(&state, at: jump) == [.keepAlive])
    }

    @Test func `by default, and without a known end, no timer is set`() {
        #expect(state(held(idle: 10, policy: .default), policy: .default).nextWake(at: Self.start) == nil)
        #expect(state(held(idle: nil)).nextWake(at: Self.start) == nil)
        #expect(state(held(idle: -1)).nextWake(at: Self.start) == nil)
    }

    /// Another process refreshes. This one would only read, again and again.
    @Test func `with a read-only store no timer is set`() {
        var state = state(held(idle: 10), storage: .readOnly)
        #expect(state.nextWake(at: Self.start) == nil)
        #expect(causes(&state, at: Self.start.advanced(by: .seconds(8 * Self.day))) == [])
    }

    @Test func `a refresh that wins no time is not repeated`() {
        let former = held(idle: 10)
        #expect(held(idle: 10, generation: 1, replacing: former).keepAliveAt == nil)
        #expect(held(idle: 9, generation: 1, replacing: former).keepAliveAt == nil)
        #expect(held(idle: 11, generation: 1, replacing: former).keepAliveAt != nil)
        #expect(held(idle: 1, generation: 1, replacing: held(idle: nil)).keepAliveAt != nil)
    }

    @Test func `a failure is followed by the next slot, and none begins after a shutdown`() {
        var state = state(held(idle: 10))
        let due = Self.start.advanced(by: .seconds(8 * Self.day))
        #expect(causes(&state, at: due) == [.keepAlive])
        var turn = Turn(Turn.Inputs(now: due, random: 1), isAwaited: false, byUnbound: false)
        _ = state.flight.map { state.advance($0.id, .failed(RefreshFailure(ExploredFailure())), &turn) }
        #expect(!state.pace.isOpen(at: due))
        #expect(state.nextWake(at: due) == state.pace.slot)
        #expect(causes(&state, at: due.advanced(by: state.pace.slot - due.uptime)) == [.keepAlive])
        var over = self.state(held(idle: 10))
        over.stopBackgroundRefresh()
        #expect(causes(&over, at: due) == [])
    }

    @Test func `a person is asked for only if the session is not kept alive`() async throws {
        for (keepsAlive, count) in [(false, 1), (true, 0)] {
            let clock = ManualClock()
            let policy = RefreshPolicy(signInNotice: .seconds(11 * Self.day), keepsAlive: keepsAlive)
            let auth = RefreshableTokenAuthorization(service: IdleService(clock: clock), policy: policy, clock: clock)
            var events = auth.events.makeAsyncIterator()
            _ = try await auth.validToken()
            var notices = 0
            while let event = await events.next(), event.kind != .refreshEnded {
                if event.kind == .signInNeeded { notices += 1 }
            }
            #expect(notices == count)
        }
    }

    @Test func `a provider that was made with a token refreshes by itself`() async throws {
        let clock = ManualClock()
        let service = IdleService(clock: clock)
        let auth = RefreshableTokenAuthorization(
            service: service, token: try await service.initialToken(), policy: Self.policy, clock: clock)
        var events = auth.events.makeAsyncIterator()
        clock.advance(by: .seconds(8 * Self.day))
        #expect(await events.next()?.cause == .keepAlive)
    }

    @Test func `refreshes leave no timer behind`() async throws {
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization(
            service: IdleService(clock: clock), policy: Self.policy, clock: clock)
        for _ in 0..<100 {
            _ = try await auth.refreshNow()
            clock.advance(by: .seconds(120))
        }
        #expect(auth.timer.capacity < 10)
    }

    @Test func `an idle provider refreshes by itself, whatever the policy ahead of expiry`() async throws {
        let clock = ManualClock()
        let service = IdleService(clock: clock)
        let policy = RefreshPolicy(aheadOfExpiry: .inForeground(atMost: .seconds(5)), jitter: 0, keepsAlive: true)
        let auth = RefreshableTokenAuthorization(service: service, policy: policy, clock: clock)
        _ = try await auth.validToken()
        var events = auth.events.makeAsyncIterator()
        for _ in 0..<3 {
            clock.advance(by: .seconds(8 * Self.day))
            while let event = await events.next(), event.kind != .refreshEnded {
                if event.kind == .refreshStarted { #expect(event.cause == .keepAlive) }
            }
        }
        #expect(auth.currentToken?.expiresAt == clock.now.addingTimeInterval(60))
    }
}

private struct IdleToken: AuthorizationToken {
    let expiresAt: Date
    let refreshNeededBefore: Date?
    var signInNeededBefore: Date? { refreshNeededBefore }
    var authorizationHeaderValue: String { "Bearer \(expiresAt.timeIntervalSince1970)" }
}

/// Its tokens last a minute, and its unused sessions ten days.
private struct IdleService: RefreshableTokenService {
    let clock: ManualClock

    func refresh(_ token: IdleToken) async throws -> IdleToken { try await initialToken() }
    func initialToken() async throws -> IdleToken {
        IdleToken(
            expiresAt: clock.now.addingTimeInterval(60), refreshNeededBefore: clock.now.addingTimeInterval(864_000))
    }
}
