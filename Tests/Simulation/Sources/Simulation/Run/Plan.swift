// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import SimulationCheck

/// What happens in a run, and when. It follows from the seed, and can be shrunk.
public struct Plan: Sendable {
    /// When a disturbance of a process begins.
    public enum Moment: Hashable, Sendable {
        case now
        /// This long after the process has sent a refresh token the next time.
        case afterAsking(Int64)
        /// After this number of steps of the process, counted from the same moment.
        case stepsAfterAsking(Int)
        /// After this number of steps, counted from the next intent, token or record that the process writes.
        case stepsAfterWriting(Int)

        var followsWrite: Bool { if case .stepsAfterWriting = self { true } else { false } }
    }

    /// What is done with the item that all processes share beside the token.
    public enum ItemUse: Hashable, Sendable, CaseIterable {
        case read, save, replace, clear, clearKnown, setAside, removeAccount, list
    }

    public indirect enum Action: Hashable, Sendable {
        case request(redirectsTo: String?, cancelledAfter: Int64?)
        case signIn(user: String, setsToken: Bool)
        case signOut(tellsServer: Bool)
        case settle
        case refresh
        case tokenLasting(Int64)
        case retry
        case item(ItemUse)
        /// Another process does something at a moment of the process in a slot.
        case meanwhile(Moment, of: Int, Action)
        case shutDown
        case kill(Moment, back: Int64)
        case stop(Moment, Int64)
        case losePower(Moment)
        case moveClock(Int64)
        case stopClock(Int64)
        case weather(lost: Int, answerLost: Int, slow: Int, doubled: Int, Int64)
        case serverFails(Int64)
        case storeIsFull(Int64)
        case databaseLoses(Int, Int64)
        case noNotices(Int64)
        case refuseAccess
        case revoke
    }

    public struct Step: Hashable, Sendable, CustomStringConvertible {
        public let time: Int64
        public let slot: Int
        public let action: Action

        public var description: String { "\(time / 1_000_000) ms  slot \(slot)  \(action)" }
    }

    public let seed: UInt64
    public let setting: Setting
    public let slots: Int
    /// The lifetime of access tokens.
    public let lifetime: Int64
    /// When the faults end.
    public let horizon: Int64
    /// The processes whose policy is that of a tool.
    public let tools: Set<Int>
    /// How long before its expiry a token is refreshed, as a part of its lifetime.
    public let leeway: Double
    /// How fast the uptime of each process runs, in millionths.
    public let rates: [Int64]
    /// The account of the token. The names of its files are shortened if it is long.
    public let account: String
    /// Whether notices about files have their names.
    public let namesFiles: Bool
    /// The processes that have exclusive access for a limited time only.
    public let activities: Set<Int>
    /// The processes that follow their provider.
    public let observers: Set<Int>
    /// The processes that drop their provider at the end, without a shutdown.
    public let drops: Set<Int>
    public var steps: [Step]
}

extension Plan {
    var movesClock: Bool { steps.contains { if case .moveClock = $0.action { true } else { false } } }

    public init(seed: UInt64) {
        var generator = Generator(seed: seed, stream: 0)
        let store: Setting.Store = generator.chance(60) ? .files : .leased
        let grace: Int64 = generator.chance(55) ? 0 : .seconds(generator.pick([store == .files ? 8 : 20, 120]))
        self.seed = seed
        setting = Setting(store: store, grace: grace)
        slots = generator.chance(85) ? 1 + generator.below(4) : 5 + generator.below(12)
        lifetime = .seconds(Double(generator.pick([10, 20, 40])))
        horizon = lifetime * 6
        tools = Set((0..<slots).filter { _ in generator.chance(25) })
        leeway = generator.pick([0.1, 0.6])
        // The machine of files has one clock.
        rates = (0..<slots).map { _ in store == .files ? 1_000_000 : 980_000 + Int64(generator.below(40_000)) }
        account = "ada" + (generator.chance(30) ? String(repeating: "-lovelace", count: 30) : "")
        namesFiles = generator.chance(60)
        let isLimited = generator.chance(20)
        activities = Set((1..<max(slots, 2)).filter { _ in isLimited && generator.chance(60) })
        observers = Set((0..<slots).filter { _ in generator.chance(40) })
        drops = Set((0..<slots).filter { _ in generator.chance(25) })
        steps = []
        addRequests(&generator)
        addChanges(&generator)
        addDemands(&generator)
        addItemUses(&generator)
        addRaces(&generator)
        addFaults(&generator)
        steps.sort { ($0.time, $0.slot) < ($1.time, $1.slot) }
    }

    mutating func add(_ time: Int64, _ slot: Int, _ action: Action) {
        steps.append(Step(time: time, slot: slot, action: action))
    }

    private mutating func addRequests(_ generator: inout Generator) {
        add(.milliseconds(100), 0, .signIn(user: "ada", setsToken: generator.chance(50)))
        let (redirects, cancels) = (generator.chance(30), generator.chance(40))
        let interval = lifetime / Int64(1 + generator.below(3))
        for slot in 0..<slots {
            var time = SimulatedTime.seconds(1) + generator.time(0...interval)
            while time < horizon {
                let target = generator.pick(["files.example", ResourceRequest.foreignHost])
                let cancelledAfter = generator.time(0...(.milliseconds(300)))
                let action = Action.request(
                    redirectsTo: redirects && generator.chance(30) ? target : nil,
                    cancelledAfter: cancels && generator.chance(30) ? cancelledAfter : nil)
                // Some come together.
                for _ in 0..<(generator.chance(20) ? 3 : 1) { add(time, slot, action) }
                time += generator.time(interval / 10...interval)
            }
        }
    }

    private mutating func addChanges(_ generator: inout Generator) {
        if generator.chance(35) {
            for _ in 0...generator.below(2) {
                let time = generator.time(.seconds(2)...horizon)
                add(time, generator.below(slots), .signOut(tellsServer: generator.chance(40)))
                guard generator.chance(70) else { continue }
                let later = time + generator.time(0...lifetime / 2)
                add(later, generator.below(slots), .signIn(user: "bob", setsToken: generator.chance(50)))
            }
        }
        if generator.chance(25) {
            let user = generator.pick(["ada", "bob"])
            let time = generator.time(.seconds(2)...horizon)
            add(time, generator.below(slots), .signIn(user: user, setsToken: generator.chance(50)))
        }
        if generator.chance(20) { add(generator.time(.seconds(2)...horizon), generator.below(slots), .shutDown) }
        if generator.chance(20) { add(generator.time(.seconds(2)...horizon), generator.below(slots), .settle) }
        if generator.chance(15) { add(generator.time(.seconds(2)...horizon), 0, .refuseAccess) }
        if generator.chance(5) { add(generator.time(.seconds(2)...horizon), 0, .revoke) }
    }
}
