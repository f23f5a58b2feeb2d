// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SimulationCheck

extension Plan {
    mutating func addFaults(_ generator: inout Generator) {
        if generator.chance(45) { addProcessFaults(&generator) }
        if generator.chance(35) { addNetworkFaults(&generator) }
        if generator.chance(30) { addStoreFaults(&generator) }
        if generator.chance(25) { addClockFaults(&generator) }
    }

    private mutating func add(_ generator: inout Generator, _ action: Action) {
        let slot = generator.below(slots)
        steps.append(Step(time: generator.time(.seconds(2)...horizon), slot: slot, action: action))
    }

    private mutating func addProcessFaults(_ generator: inout Generator) {
        let kinds = generator.below(7) + 1
        for _ in 0...generator.below(3) {
            let moment = moment(&generator)
            if kinds & 1 != 0 {
                add(&generator, .kill(moment, back: generator.time(.milliseconds(50)...(.seconds(8)))))
            }
            if kinds & 2 != 0 { add(&generator, .stop(moment, generator.time(.milliseconds(50)...(.seconds(30))))) }
            if kinds & 4 != 0, setting.store == .files, generator.chance(50) { add(&generator, .losePower(moment)) }
        }
    }

    private func moment(_ generator: inout Generator) -> Moment {
        switch generator.below(4) {
        case 0: .now
        case 1: .afterAsking(generator.time(0...(.milliseconds(120))))
        default: .stepsAfterAsking(generator.below(60))
        }
    }

    private mutating func addNetworkFaults(_ generator: inout Generator) {
        func percent() -> Int { generator.chance(50) ? 0 : generator.below(60) }
        for _ in 0...generator.below(2) {
            let (lost, answerLost, slow) = (percent(), percent(), percent())
            // A request that the network doubles ends the session at a strict server.
            let doubled = setting.grace > 0 ? percent() : 0
            let duration = generator.time(.seconds(1)...lifetime * 2)
            add(&generator, .weather(lost: lost, answerLost: answerLost, slow: slow, doubled: doubled, duration))
        }
        if generator.chance(40) { add(&generator, .serverFails(generator.time(.seconds(1)...lifetime))) }
    }

    private mutating func addStoreFaults(_ generator: inout Generator) {
        let duration = generator.time(.milliseconds(100)...lifetime)
        if generator.chance(40) { add(&generator, .storeIsFull(duration)) }
        switch setting.store {
        case .files: if generator.chance(60) { add(&generator, .noNotices(duration)) }
        case .leased: add(&generator, .databaseLoses(5 + generator.below(60), duration))
        }
    }

    private mutating func addClockFaults(_ generator: inout Generator) {
        let jump = generator.pick([-3600, -60, -5, 5, 60, 3600])
        if generator.chance(70) { add(&generator, .moveClock(.seconds(Double(jump)))) }
        if generator.chance(30) { add(&generator, .stopClock(generator.time(.seconds(1)...lifetime))) }
    }
}
