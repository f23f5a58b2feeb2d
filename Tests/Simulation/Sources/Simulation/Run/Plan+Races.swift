// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SimulationCheck

/// What comes together by chance only now and then, and is chosen here.
extension Plan {
    /// Refreshes that no request asks for.
    mutating func addDemands(_ generator: inout Generator) {
        guard generator.chance(30) else { return }
        for _ in 0...generator.below(3) {
            let action: Action = generator.pick([
                .refresh, .tokenLasting(lifetime / 2), .tokenLasting(lifetime * 2), .retry,
            ])
            add(generator.time(.seconds(2)...horizon), generator.below(slots), action)
        }
    }

    mutating func addItemUses(_ generator: inout Generator) {
        guard generator.chance(40) else { return }
        let time = generator.time(.seconds(1)...horizon)
        // Close to each other in time.
        for _ in 0..<8 + generator.below(16) {
            let use = generator.pick(ItemUse.allCases + [.read, .save, .replace, .replace])
            add(time + generator.time(0...(.milliseconds(150))), generator.below(slots), .item(use))
        }
        let moment: Moment = generator.chance(30) ? .now : .stepsAfterWriting(generator.below(8))
        let faultTime = time + generator.time(0...(.milliseconds(100)))
        switch generator.below(4) {
        case 0 where setting.store == .files: add(faultTime, generator.below(slots), .losePower(moment))
        case 0, 1: add(faultTime, generator.below(slots), .kill(moment, back: .seconds(1)))
        default: break
        }
        for _ in 0..<2 + generator.below(4) {
            let later = time + generator.time(.seconds(3)...(.seconds(6)))
            add(later, generator.below(slots), .item(generator.pick([.read, .read, .save])))
        }
    }

    mutating func addRaces(_ generator: inout Generator) {
        if generator.chance(20) { addInterruptedRefresh(&generator) }
        if generator.chance(15) { addChangeDuringRefresh(&generator) }
        if generator.chance(15) { addSwitch(&generator) }
    }

    /// A process loses power, is killed or is stopped in a refresh of a token that has not expired. Requests follow.
    private mutating func addInterruptedRefresh(_ generator: inout Generator) {
        let slot = generator.below(slots)
        let time = generator.time(.seconds(2)...horizon)
        let moment: Moment =
            generator.chance(60)
            ? .afterAsking(generator.time(0...(.milliseconds(120)))) : .stepsAfterWriting(generator.below(70))
        switch generator.below(4) {
        case 0: add(time, slot, .stop(moment, generator.time(.seconds(9)...(.seconds(30)))))
        case 1 where setting.store == .files: add(time, slot, .losePower(moment))
        default: add(time, slot, .kill(moment, back: generator.time(.milliseconds(50)...(.seconds(2)))))
        }
        add(time + 1, slot, .refresh)
        for second in 1...4 {
            add(time + .seconds(Double(second)), slot, .request(redirectsTo: nil, cancelledAfter: nil))
        }
    }

    /// Somebody signs in or out while another process refreshes.
    private mutating func addChangeDuringRefresh(_ generator: inout Generator) {
        guard slots > 1 else { return }
        let slot = generator.below(slots)
        let other = (slot + 1 + generator.below(slots - 1)) % slots
        let time = generator.time(.seconds(2)...horizon)
        let change: Action =
            generator.chance(60)
            ? .signOut(tellsServer: generator.chance(30)) : .signIn(user: "bob", setsToken: generator.chance(70))
        let moment: Moment =
            generator.chance(50)
            ? .afterAsking(generator.time(0...(.milliseconds(120)))) : .stepsAfterWriting(generator.below(70))
        add(time, other, .meanwhile(moment, of: slot, change))
        add(time + 1, slot, .refresh)
    }

    /// A person takes over while requests of another one are on the way, whose access ends.
    private mutating func addSwitch(_ generator: inout Generator) {
        let slot = generator.below(slots)
        let time = generator.time(.seconds(2)...horizon)
        for _ in 0..<3 { add(time, slot, .request(redirectsTo: nil, cancelledAfter: nil)) }
        add(time + .milliseconds(1), slot, .refuseAccess)
        add(time + generator.time(0...(.milliseconds(10))), slot, .signIn(user: "bob", setsToken: generator.chance(70)))
    }
}
