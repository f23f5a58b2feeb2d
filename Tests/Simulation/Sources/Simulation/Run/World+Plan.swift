// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SimulationCheck

extension World {
    /// Runs the plan, then without faults, and returns the ledger.
    func run() -> [Fact] {
        for slot in 0..<plan.slots { start(slot) }
        for step in plan.steps {
            scheduler.run(until: step.time)
            perform(step)
        }
        scheduler.run(until: plan.horizon)
        calmDown()
        // Access tokens expire, and pauses after failures end.
        scheduler.run(until: scheduler.now + plan.lifetime + .seconds(130))
        // The token of a host whose clock is ahead looks fresh, so the first refusal of it counts as one of a fresh token.
        if plan.setting.store == .leased, plan.movesClock { sendRequests(areProbes: false) }
        sendRequests(areProbes: true)
        scheduler.run(until: scheduler.now + .seconds(130))
        for case let program? in programs {
            if plan.drops.contains(program.process.slot) { drop(program) } else { end(program, mustSettle: true) }
        }
        scheduler.run(until: scheduler.now + .seconds(300))
        lookForLeftovers()
        scheduler.finish()
        return ledger.facts
    }

    private func sendRequests(areProbes: Bool) {
        for case let program? in programs {
            scheduler.asProcess(program.process) { program.request(redirectsTo: nil, isProbe: areProbes) }
        }
        if !areProbes { scheduler.run(until: scheduler.now + .seconds(2)) }
    }

    private func calmDown() {
        network.weather = Network.Weather()
        server.failsUntil = 0
        (disk.isFull, disk.hasNotices, database.isFull) = (false, true, false)
        database.recover()
        armed = [:]
        isCalm = true
        for slot in 0..<plan.slots {
            programs[slot]?.process.stoppedUntil = 0
            programs[slot]?.process.alarms = []
            programs[slot]?.activity?.isCalm = true
        }
        // A kill has ordered the start of a process some time later.
        scheduler.run(until: scheduler.now + .seconds(10))
        for slot in 0..<plan.slots { start(slot) }
        ledger.note(.calm)
    }

    private func drop(_ program: Program) {
        scheduler.asProcess(program.process) { program.drop() }
        ended.append(program)
        programs[program.process.slot] = nil
    }

    private func end(_ program: Program, mustSettle: Bool) {
        scheduler.asProcess(program.process) { program.shutDown(mustSettle: mustSettle) }
        ended.append(program)
        programs[program.process.slot] = nil
    }

    private func perform(_ step: Plan.Step) {
        let until = { [scheduler] (duration: SimulatedTime) in scheduler.now + duration }
        switch step.action {
        case .losePower(let moment):
            guard let process = programs[step.slot]?.process else { return }
            at(moment, of: process) { [self] in losePower() }
        case .moveClock(let offset): moveClock(by: offset, step.slot)
        case .stopClock(let duration): stopClock(for: duration, step.slot)
        case .weather(let lost, let answerLost, let slow, let doubled, let duration):
            network.weather = Network.Weather(lost: lost, answerLost: answerLost, slow: slow, doubled: doubled)
            later(duration) { $0.network.weather = Network.Weather() }
        case .serverFails(let duration): server.failsUntil = until(duration)
        case .storeIsFull(let duration):
            ledger.note(.trouble(.full, until: until(duration)))
            (disk.isFull, database.isFull) = (true, true)
            later(duration) { ($0.disk.isFull, $0.database.isFull) = (false, false) }
        case .databaseLoses(let percent, let duration):
            // A call that is slow now has its answer later.
            ledger.note(.trouble(.database, until: until(duration) + .seconds(10)))
            database.losses = percent
            later(duration) { $0.database.recover() }
        case .noNotices(let duration):
            disk.hasNotices = false
            later(duration) { $0.disk.hasNotices = true }
        case .refuseAccess: server.refuseAccess()
        case .revoke: server.revokeLatest()
        case .meanwhile(let moment, let other, let action):
            guard let process = programs[other]?.process else { return }
            at(moment, of: process) { [self] in
                if let program = programs[step.slot] { perform(action, by: program) }
            }
        default: if let program = programs[step.slot] { perform(step.action, by: program) }
        }
    }

    private func perform(_ action: Plan.Action, by program: Program) {
        let process = program.process
        switch action {
        case .kill(let moment, let back): at(moment, of: process) { [self] in kill(program, back: back) }
        case .stop(let moment, let duration): at(moment, of: process) { [self] in stop(process, for: duration) }
        case .shutDown:
            end(program, mustSettle: false)
            later(.seconds(2)) { $0.start(process.slot) }
        // A stopped process does nothing.
        default: scheduler.after(0, in: process) { [self] in use(program, action) }
        }
    }

    /// Does what a program does by itself.
    private func use(_ program: Program, _ action: Plan.Action) {
        switch action {
        case .request(let redirect, let cancelledAfter):
            let number = program.request(redirectsTo: redirect)
            if let cancelledAfter { scheduler.after(cancelledAfter, in: program.process) { program.cancel(number) } }
        case .signIn(let user, let setsToken): program.signIn(user, setsToken: setsToken)
        case .signOut(let tellsServer): program.signOut(tellsServer: tellsServer)
        case .settle: program.settle()
        case .refresh: program.refresh()
        case .tokenLasting(let duration): program.token(lasting: .nanoseconds(duration))
        case .retry: program.retry()
        case .item(let use): program.use(use)
        default: break
        }
    }

    private func later(_ pause: SimulatedTime, _ body: @escaping (World) -> Void) {
        scheduler.after(pause, in: scheduler.world) { [weak self] in if let self { body(self) } }
    }

    // MARK: Clocks

    /// All processes of a machine have one wall clock. Hosts have their own.
    private func moveClock(by offset: SimulatedTime, _ slot: Int) {
        if plan.setting.store == .files { machineOffset += offset }
        for program in affected(slot) { program.process.wallOffset += offset }
    }

    private func stopClock(for duration: SimulatedTime, _ slot: Int) {
        for program in affected(slot) {
            program.process.wallStop = (scheduler.now, scheduler.now + duration)
        }
    }

    private func affected(_ slot: Int) -> [Program] {
        plan.setting.store == .files ? programs.compactMap { $0 } : [programs[slot]].compactMap { $0 }
    }

    // MARK: The end

    private func lookForLeftovers() {
        for program in ended where program.process.isAlive {
            let process = program.process
            let left: [(String, Int)] = [
                ("provider", program.provider == nil ? 0 : 1), ("calls", program.openCalls),
                ("sleeps", process.sleeping),
                ("jobs", process.ready.count), ("open files", disk.openCount(of: process)),
                ("watches", disk.followerCount(of: process)), ("listeners", database.listenerCount(of: process)),
            ]
            for (what, count) in left where count > 0 {
                ledger.note(.left(process: process.number, what: "\(count) \(what)"))
            }
        }
        // Where the system limits exclusive access, the next save removes it. The other item may have no later use.
        for name in disk.names.keys.sorted()
        where name.hasPrefix(SimulatedDisk.stem) && name.hasSuffix(".new") && plan.activities.isEmpty {
            ledger.note(.left(process: 0, what: "the file \(name)"))
        }
    }
}
