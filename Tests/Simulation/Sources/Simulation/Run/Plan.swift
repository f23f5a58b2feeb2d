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
    }

    public enum Action: Hashable, Sendable {
        case request(redirectsTo: String?, cancelledAfter: Int64?)
        case signIn(user: String, setsToken: Bool)
        case signOut(tellsServer: Bool)
        case settle
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
    public var steps: [Step]
}

extension Plan {
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
        steps = []
        addRequests(&generator)
        addChanges(&generator)
        addFaults(&generator)
        steps.sort { ($0.time, $0.slot) < ($1.time, $1.slot) }
    }

    private mutating func add(_ time: Int64, _ slot: Int, _ action: Action) {
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
