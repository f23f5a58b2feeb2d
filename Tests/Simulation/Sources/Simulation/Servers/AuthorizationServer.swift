// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SimulationCheck

/// A server with rotating refresh tokens. A spent token ends its session, except within the grace period.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class AuthorizationServer: @unchecked Sendable {
    private struct Family {
        let user: String
        var current: Int
        var isOver = false
    }

    struct Answer: Sendable {
        let status: Int
        let body: String
    }

    private let scheduler: Scheduler
    private let ledger: Ledger
    let setting: Setting
    /// Nanoseconds.
    let lifetime: SimulatedTime
    private var families: [Int: Family] = [:]
    /// The spent tokens with their successors.
    private var spent: [Int: (next: Int, at: SimulatedTime)] = [:]
    private var accessEnds: [Place: SimulatedTime] = [:]
    private var lastSerial = 0
    /// Until then it answers with an error, 500 or a page of a proxy.
    var failsUntil: SimulatedTime = 0
    private var generator: Generator

    init(_ scheduler: Scheduler, _ ledger: Ledger, _ setting: Setting, lifetime: SimulatedTime, seed: UInt64) {
        (self.scheduler, self.ledger, self.setting, self.lifetime) = (scheduler, ledger, setting, lifetime)
        generator = Generator(seed: seed, stream: 4)
    }

    // MARK: Tokens

    func issue(to user: String) -> Answer {
        let family = families.count + 1
        families[family] = Family(user: user, current: 0)
        let place = mint(family)
        ledger.note(.issued(place, user: user))
        return tokens(place)
    }

    func refresh(_ text: String, call: Int, from process: Int, isRepeated: Bool) -> Answer {
        if scheduler.now < failsUntil { return failure() }
        guard let place = Place(text), let family = families[place.family] else { return invalidGrant() }
        let (presentation, answer) = present(place, family)
        ledger.note(.presented(call: call, process: process, place, presentation, isRepeated: isRepeated))
        return answer
    }

    private func present(_ place: Place, _ family: Family) -> (Presentation, Answer) {
        if family.isOver { return (.refused, invalidGrant()) }
        if family.current == place.serial {
            let next = mint(place.family)
            spent[place.serial] = (next.serial, scheduler.now)
            return (.committed(next: next.serial), tokens(next))
        }
        if let former = spent[place.serial], former.next == family.current, scheduler.now < former.at + setting.grace {
            let next = Place(family: place.family, serial: former.next)
            return (.replayed(next: next.serial), tokens(next))
        }
        families[place.family]?.isOver = true
        return (.reused, invalidGrant())
    }

    /// Ends a session at the request of its user, or of an operator.
    func revoke(_ text: String, isUnexpected: Bool) {
        guard let place = Place(text), families[place.family]?.isOver == false else { return }
        families[place.family]?.isOver = true
        ledger.note(.revoked(family: place.family, isUnexpected: isUnexpected))
    }

    func revokeLatest() {
        guard let family = families.filter({ !$0.value.isOver }).keys.max() else { return }
        revoke("\(family).0", isUnexpected: true)
    }

    // MARK: Access tokens

    func isGood(_ place: Place) -> Bool {
        guard let family = families[place.family], !family.isOver, let end = accessEnds[place] else { return false }
        return scheduler.now < end
    }

    /// Refuses the present access token from now on, although it has not expired.
    func refuseAccess() {
        for (number, family) in families { accessEnds[Place(family: number, serial: family.current)] = scheduler.now }
    }

    // MARK: -

    private func mint(_ family: Int) -> Place {
        lastSerial += 1
        families[family]?.current = lastSerial
        let place = Place(family: family, serial: lastSerial)
        accessEnds[place] = scheduler.now + lifetime
        return place
    }

    private func tokens(_ place: Place) -> Answer {
        Answer(
            status: 200,
            body: #"{"access_token":"\#(place)","refresh_token":"\#(place)","expires_in":\#(lifetime / 1_000_000_000)}"#
        )
    }

    private func invalidGrant() -> Answer { Answer(status: 400, body: #"{"error":"invalid_grant"}"#) }

    private func failure() -> Answer {
        generator.pick([
            Answer(status: 503, body: "{}"), Answer(status: 500, body: "<html>"), Answer(status: 429, body: "{}"),
            Answer(status: 400, body: #"{"error":"invalid_client"}"#), Answer(status: 200, body: "<html>"),
        ])
    }
}

extension Place {
    /// - Parameter text: as in a token.
    init?(_ text: String) {
        let parts = text.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(family: parts[0], serial: parts[1])
    }
}
