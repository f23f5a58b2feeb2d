// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// All states of the pace: no call before its slot, and one error for one cause.
struct PaceExploration {
    /// What happens besides successes and failures: all of it at once would be too much.
    enum Part: CaseIterable { case slots, refusals, storms }

    @Test(arguments: Part.allCases)
    func `no order of events opens a slot too early, or hides a failure`(part: Part) {
        let fixpoint = Fixpoint<ExploredPace, ExploredPace.Key>(
            key: { $0.key }, events: { $0.events }, violation: { $0.violation })
        #expect(fixpoint.explore("Pace, \(part)", from: [ExploredPace(part)]) > 20)
    }
}

/// A pace, and what must be true of it.
struct ExploredPace {
    struct Key: Hashable {
        let failure: RefreshFailure?
        let wait: Duration
        let ordered: Duration
        let attempts: Int
        let refusals: Int
        let refusing: TimeInterval
        let suggestsSignIn: Bool
        let storms: [Duration]
    }

    private static let policy: RefreshPolicy = {
        var policy = RefreshPolicy()
        policy.backOff = .init(initial: .seconds(2), maximum: .seconds(8), maximumRetryAfter: .seconds(20))
        policy.storm = .init(limit: 2, window: .seconds(30), youth: 0.1)
        return policy
    }()
    private static let failures: [(name: String, failure: RefreshFailure)] = [
        ("transient", RefreshFailure(ExploredFailure())),
        ("lost", RefreshFailure(ExploredFailure(delivery: .mayHaveBeenProcessed))),
        ("client", RefreshFailure(ExploredFailure(kind: .client))),
        ("named", RefreshFailure(ExploredFailure(retryAfter: .seconds(30)))),
        ("named soon", RefreshFailure(ExploredFailure(retryAfter: .seconds(1)))),
        ("refused", RefreshFailure(TokenEndpointError(status: 401))),
    ]

    private let part: PaceExploration.Part
    private var pace = Pace()
    private var now = RefreshStateBench.make().now
    /// When refreshes of young tokens were admitted.
    private var admitted: [Duration] = []
    private(set) var violation: String?

    init(_ part: PaceExploration.Part) { self.part = part }

    private var wait: Duration { max(.zero, pace.slot - now.uptime) }
    /// How long the server still wants no try.
    private var ordered: Duration { max(.zero, pace.backOff.ordered - now.uptime) }

    var key: Key {
        let refusals = pace.refusals?.facts
        let refusing = refusals.map { min(now.date.timeIntervalSince($0.since).rounded(), 300) } ?? 0
        return Key(
            failure: pace.failure, wait: wait, ordered: ordered,
            attempts: min(pace.backOff.attempts, 3),
            refusals: min(refusals?.count ?? 0, 4), refusing: refusing,
            suggestsSignIn: refusals?.suggestsSignIn ?? false,
            storms: admitted.map { now.uptime - $0 }.filter { $0 < Self.policy.storm.window })
    }

    // MARK: Events

    var events: [(name: String, world: ExploredPace)] {
        var all: [(String, (inout ExploredPace) -> Void)] = [("success", { $0.succeed() })]
        var failures: [(name: String, failure: RefreshFailure)] = []
        switch part {
        case .slots:
            failures = Self.failures.filter { $0.name != "refused" }
            all += [
                ("lift", { $0.lift() }), ("a malformed token", { $0.fault() }), ("a read without news", { $0.pause() }),
                ("the slot comes", { $0.pass($0.wait) }), ("a second passes", { $0.pass(.seconds(1)) }),
            ]
        case .refusals:
            failures = Self.failures.filter { $0.failure.retryAfter == nil }
            all += [("time passes", { $0.pass(.seconds(100)) })]
        case .storms:
            all += [
                ("calm", { $0.calm() }), ("admit", { $0.admit() }), ("an expired token", { $0.expire() }),
                ("time passes", { $0.pass(.seconds(10)) }),
            ]
        }
        for (name, failure) in failures {
            for random in [0.0, 1] { all.append(("\(name) \(random)", { $0.fail(failure, random) })) }
        }
        return all.map { name, change in
            var world = self
            change(&world)
            world.check()
            return (name, world)
        }
    }

    private mutating func fail(_ failure: RefreshFailure, _ random: Double) {
        let wasLost = pace.failure?.isLoss == true
        pace.fail(failure, isBrief: false, at: now, policy: Self.policy.backOff, random: random)
        demand(pace.failure == failure, "another failure is remembered")
        let named = failure.retryAfter.map { min($0, Self.policy.backOff.maximumRetryAfter) }
        demand(wait >= named ?? .zero, "the server's time is not kept")
        demand(ordered == named ?? .zero, "a time counts as named by the server")
        if failure.needsAction { demand(wait >= Self.policy.backOff.maximum, "an operator is asked too often") }
        if failure.isLoss, !wasLost { demand(wait <= .seconds(1), "a lost answer is not tried again soon") }
        demand(wait <= max(Self.policy.backOff.maximum, named ?? .zero), "a slot is too late")
    }

    private mutating func succeed() {
        pace.succeed()
        demand(pace.isOpen(at: now) && pace.error(at: now) == nil && pace.refusals == nil, "a success leaves a failure")
    }

    private mutating func lift() {
        let before = pace
        pace.lift()
        demand(wait == ordered, "a slot stays closed, or a time that the server has named is overridden")
        demand(pace.backOff.ordered == before.backOff.ordered, "a time that the server has named changes")
        demand(pace.failure == before.failure, "a failure is forgotten")
    }

    private mutating func calm() {
        pace.calm()
        admitted = []
    }

    private mutating func admit() {
        let recent = admitted.filter { $0 + Self.policy.storm.window > now.uptime }
        let isAdmitted = pace.admits(at: now, policy: Self.policy.storm)
        demand(
            isAdmitted == (recent.count < Self.policy.storm.limit), "a storm is not seen, or seen where there is none")
        admitted = recent + (isAdmitted ? [now.uptime] : [])
    }

    /// A token that had expired on arrival counts too.
    private mutating func expire() {
        let error = TokenExpiredOnArrival(expiresAt: now.date, arrivedAt: now.date)
        pace.expire(error, at: now, policy: Self.policy, random: 1)
        let recent = admitted.filter { $0 + Self.policy.storm.window > now.uptime }
        admitted = recent + (recent.count < Self.policy.storm.limit ? [now.uptime] : [])
        demand(!pace.isOpen(at: now), "a token that came expired is fetched again at once")
    }

    private mutating func fault() {
        pace.fail(with: NotAuthorized(.malformedCredential), at: now, policy: Self.policy.backOff, random: 1)
        demand(!pace.isOpen(at: now), "a token that cannot be sent is fetched again at once")
    }

    private mutating func pause() {
        let failure = pace.failure
        pace.pause(at: now, policy: Self.policy.backOff, random: 1)
        demand(wait <= .seconds(1) && pace.failure == failure, "a read counts as a failure")
    }

    private mutating func pass(_ time: Duration) {
        now = Moment(date: now.date.addingTimeInterval(time.seconds), uptime: now.uptime + time)
    }

    // MARK: Promises

    private mutating func check() {
        let error = pace.error(at: now)
        demand((error == nil) == (pace.failure == nil), "a failure has no error")
        demand(
            (pace.refusal(at: now) == nil) == (pace.isOpen(at: now) || error == nil), "a slot is closed without a word")
        var lifted = pace
        lifted.lift()
        let signInRefusal = lifted.refusal(at: now)
        demand(
            (signInRefusal != nil) == (ordered > .zero && error != nil),
            "a sign-in waits for a time that no server has named")
        if let failed = signInRefusal as? RefreshFailed {
            demand(failed.nextTryAt == now.date.addingTimeInterval(ordered.seconds), "a sign-in names another time")
        }
        if let failed = pace.refusal(at: now) as? RefreshFailed {
            demand(failed.nextTryAt == now.date.addingTimeInterval(wait.seconds), "an error names another time")
        }
    }

    private mutating func demand(_ condition: Bool, _ broken: String) {
        if !condition, violation == nil { violation = broken }
    }
}
