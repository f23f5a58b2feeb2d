// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import RequestAuthorization
@_spi(FileLayer) import RequestAuthorizationStorage
import SimulationCheck

/// Everything of one run: processes, servers, store and time.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class World: @unchecked Sendable {
    let plan: Plan
    let scheduler: Scheduler
    let ledger: Ledger
    let server: AuthorizationServer
    let network: Network
    let disk: SimulatedDisk
    let database: SimulatedDatabase
    /// The running program of each slot.
    var programs: [Program?]
    /// The programs that have ended by themselves.
    var ended: [Program] = []
    var layers: [Int: SimulatedFiles] = [:]
    /// What happens when a process asks the server the next time.
    var armed: [Int: [(Plan.Moment, () -> Void)]] = [:]
    private var lastProcess = 0
    /// The wall clock of the machine, for processes that start later.
    var machineOffset: SimulatedTime = 0
    /// Whether the faults have ended.
    var isCalm = false

    init(_ plan: Plan) {
        self.plan = plan
        scheduler = Scheduler(seed: plan.seed)
        Scheduler.present = scheduler
        ledger = Ledger(scheduler)
        server = AuthorizationServer(scheduler, ledger, plan.setting, lifetime: plan.lifetime, seed: plan.seed)
        network = Network(scheduler, ledger, server, seed: plan.seed)
        disk = SimulatedDisk(scheduler, seed: plan.seed)
        database = SimulatedDatabase(scheduler, ledger, seed: plan.seed)
        programs = Array(repeating: nil, count: plan.slots)
        let note = { [ledger] (item: Data?) in ledger.note(.stored(StoredItem.view(item))) }
        (disk.onItem, database.onItem) = (note, note)
        network.onAsk = { [weak self] in self?.asked(by: $0) }
        database.onWrite = { [weak self] in self?.wrote(by: $0) }
    }

    // MARK: Processes

    func start(_ slot: Int) {
        guard programs[slot] == nil else { return }
        lastProcess += 1
        let process = SimulatedProcess(number: lastProcess, slot: slot)
        process.wallOffset = plan.setting.store == .files ? machineOffset : 0
        process.uptimeRate = plan.rates[slot]
        scheduler.add(process)
        ledger.note(.started(process: process.number))
        scheduler.asProcess(process) {
            programs[slot] = makeProgram(process)
            if plan.observers.contains(slot) { programs[slot]?.observe() }
        }
        programs[slot]?.activity?.isCalm = isCalm
    }

    private func makeProgram(_ process: SimulatedProcess) -> Program? {
        let clock = SimulatedClock(scheduler, process)
        var policy: RefreshPolicy = plan.tools.contains(process.slot) ? .tool : .default
        policy.leeway.fraction = plan.leeway
        switch plan.setting.store {
        case .files:
            return makeProgram(process, clock, policy)
        case .leased:
            let records = SimulatedRecords(database: database, process: process)
            guard
                let store = try? LeasedTokenStore<SimulatedToken>(
                    unencryptedIn: records, key: SimulatedRecords.key, clock: clock),
                let others = try? records.item(at: SimulatedRecords.otherKey, clock: clock)
            else { return nil }
            return Program(
                process, network, store: store, item: SharedItem(process, ledger, others), clock: clock,
                policy: policy)
        }
    }

    /// A program with files.
    private func makeProgram(
        _ process: SimulatedProcess, _ clock: SimulatedClock, _ policy: RefreshPolicy
    ) -> Program {
        let layer = SimulatedFiles(disk, scheduler, ledger, process, namesFiles: plan.namesFiles, seed: plan.seed)
        layer.onWrite = { [weak self] in self?.wrote(by: $0) }
        layers[process.number] = layer
        // Both name the same folder.
        let folder: TokenFolder = process.slot.isMultiple(of: 2) ? .default : .at(SimulatedDisk.folder)
        let activity = SimulatedActivity(scheduler, ledger, process, seed: plan.seed)
        let isNeeded = plan.activities.contains(process.slot)
        let items = RestrictedFileItems(
            client: "app", account: plan.account, folder: folder, activity: isNeeded ? activity.activity : .none,
            layer: layer)
        let others = RestrictedFileItems(client: "app", account: SharedItem.account, folder: folder, layer: layer)
        return Program(
            process, network, store: RestrictedFileTokenStore<SimulatedToken>(items),
            item: SharedItem(
                process, ledger, others, accounts: RestrictedFileAccounts(client: "app", folder: folder, layer: layer)),
            activity: activity, clock: clock, policy: policy)
    }

    func kill(_ program: Program, back: SimulatedTime?) {
        let process = program.process
        guard process.isAlive else { return }
        ledger.note(.killed(process: process.number))
        disk.closeAll(of: process)
        database.remove(process)
        scheduler.kill(process)
        layers[process.number] = nil
        armed[process.number] = nil
        if programs[process.slot] === program { programs[process.slot] = nil }
        guard let back else { return }
        scheduler.after(back, in: scheduler.world) { [self] in start(process.slot) }
    }

    func stop(_ process: SimulatedProcess, for duration: SimulatedTime) {
        let end = scheduler.now + duration
        guard process.isAlive, process.stoppedUntil < end else { return }
        process.stoppedUntil = end
        ledger.note(.stopped(process: process.number, until: end))
    }

    func losePower() {
        ledger.note(.powerLost)
        for case let program? in programs { kill(program, back: .seconds(2)) }
        for program in ended { kill(program, back: nil) }
        disk.losePower()
        ledger.note(.recovered(StoredItem.view(disk.item)))
    }

    // MARK: Moments

    func at(_ moment: Plan.Moment, of process: SimulatedProcess, _ body: @escaping () -> Void) {
        if moment == .now { return body() }
        armed[process.number, default: []].append((moment, body))
    }

    private func asked(by process: SimulatedProcess) { arm(process) { !$0.followsWrite } }

    private func wrote(by process: SimulatedProcess) { arm(process, if: \.followsWrite) }

    private func arm(_ process: SimulatedProcess, if isNear: (Plan.Moment) -> Bool) {
        guard let all = armed[process.number] else { return }
        armed[process.number] = all.filter { !isNear($0.0) }
        for (moment, body) in all where isNear(moment) {
            switch moment {
            case .now: body()
            case .afterAsking(let pause): scheduler.after(pause, in: scheduler.world, body)
            case .stepsAfterAsking(let steps), .stepsAfterWriting(let steps):
                process.alarms.append((process.steps + steps, body))
            }
        }
    }
}
