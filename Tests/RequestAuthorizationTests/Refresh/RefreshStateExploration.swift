// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// All events of the state, in every order, up to a number of events in a row.
///
/// Each test run explores for a few seconds. With `EXPLORATION=long` in the environment it goes to the full depth, with
/// `sample`, as in CI, to one event less at most. `REFRESH_STATE_DEPTH` sets another depth; each further event takes
/// about four times as long.
struct RefreshStateExploration {
    @Test(arguments: ExploredStorage.allCases)
    func `no order of events breaks a promise`(storage: ExploredStorage) async {
        await explore(storage.name, .cold(storage.kind), depth: 8)
    }

    @Test(arguments: [ExploredStorage.plain, .shared])
    func `no order of events breaks a promise if the store's answers are late`(storage: ExploredStorage) async {
        var world = ExploredWorld.warm(storage.kind)
        (world.scope, world.callerLimit) = (.races, 1)
        await explore("\(storage.name), late", world, depth: 5)
    }

    @Test(arguments: [true, false])
    func `no order of events breaks a promise in the middle of a refresh with a shared store`(isSaved: Bool) async {
        let world = ExploredWorld.warm(.shared)
            .after((isSaved ? [] : [.setToken]) + [.unauthorized] + Array(repeating: .step(0, .ok), count: 3))
        await explore("shared, \(isSaved ? "saved" : "unsaved") and refreshing", world, depth: 5)
    }

    @Test(arguments: [ExploredStorage.none, .plain, .shared])
    func `no order of events breaks a promise if requests ask for tokens that last`(storage: ExploredStorage) async {
        var world = ExploredWorld.warm(storage.kind)
        (world.scope, world.callerLimit) = (.lasting, 2)
        await explore("\(storage.name), lasting", world, depth: 5)
    }

    @Test(arguments: [ExploredStorage.none, .plain, .shared])
    func `no order of events breaks a promise in a tool that ends`(storage: ExploredStorage) async {
        var world = ExploredWorld.warm(storage.kind, policy: .exploredTool)
        (world.scope, world.callerLimit) = ([.programs], 2)
        await explore("\(storage.name), tool", world, depth: 5)
    }

    @Test(arguments: [ExploredStorage.plain, .shared])
    func `no order of events breaks a promise in a program that ends in the middle of a refresh`(
        storage: ExploredStorage
    ) async {
        let steps = Array(repeating: ExploredWorld.Event.step(0, .ok), count: storage == .shared ? 4 : 1)
        var world = ExploredWorld.warm(storage.kind).after([.unauthorized] + steps)
        (world.scope, world.callerLimit) = (.programs, 1)
        await explore("\(storage.name), ending", world, depth: 5)
    }

    @Test(arguments: [ExploredStorage.none, .plain, .shared])
    func `no order of events breaks a promise beside a call that was forgotten`(storage: ExploredStorage) async {
        let steps = Array(repeating: ExploredWorld.Event.step(0, .ok), count: storage == .shared ? 3 : 0)
        var world = ExploredWorld.warm(storage.kind).after([.unauthorized] + steps + [.due(.hardLimit), .due(.slot)])
        (world.scope, world.callerLimit) = (.lasting, 1)
        await explore("\(storage.name), forgotten", world, depth: 5)
    }

    private func explore(_ name: String, _ beginning: ExploredWorld, depth: Int) async {
        let environment = ProcessInfo.processInfo.environment
        let less =
            switch environment["EXPLORATION"] {
            case "long": 0
            case "sample": depth > 5 ? 1 : 0
            default: depth > 5 ? 3 : 2
            }
        let wanted = environment["REFRESH_STATE_DEPTH"].flatMap { Int($0) } ?? depth - less
        var exploration = Exploration(beginning)
        let trace = await exploration.run(depth: wanted)
        print(
            "RefreshState, storage \(name): \(exploration.states) states, \(exploration.transitions) transitions,",
            "depth \(exploration.depth)")
        if let trace { Issue.record("\(trace)") }
    }
}

enum ExploredStorage: CaseIterable {
    case none, plain, shared, readOnly

    var name: String { "\(self)" }

    var kind: Vault.Kind {
        switch self {
        case .none: .none
        case .plain: .plain
        case .shared: .shared
        case .readOnly: .readOnly
        }
    }
}

/// A breadth-first search: the first broken promise that it finds has the shortest path.
struct Exploration {
    private struct Node {
        let origin: Int
        let event: ExploredWorld.Event?
    }

    private(set) var states = 0
    private(set) var transitions = 0
    private(set) var depth = 0
    private let beginning: ExploredWorld
    private var seen: Set<Fingerprint> = []
    private var nodes: [Node] = []

    init(_ beginning: ExploredWorld) { self.beginning = beginning }

    /// - Returns: how a promise is broken, if one is.
    mutating func run(depth limit: Int) async -> String? {
        if let violation = beginning.violation { return "\(violation), in the beginning: \(beginning.summary)" }
        var frontier = [(node: 0, world: beginning)]
        nodes = [Node(origin: 0, event: nil)]
        seen = [Fingerprint(beginning)]
        while depth < limit, !frontier.isEmpty {
            var next: [(node: Int, world: ExploredWorld)] = []
            for (node, world) in frontier {
                // Gives other tests time to run.
                await Task.yield()
                if let trace = expand(world, node, isLast: depth == limit - 1, into: &next) { return trace }
            }
            frontier = next
            depth += 1
        }
        states = nodes.count
        return nil
    }

    private mutating func expand(
        _ world: ExploredWorld, _ node: Int, isLast: Bool, into next: inout [(node: Int, world: ExploredWorld)]
    ) -> String? {
        for event in world.events {
            var world = world
            world.apply(event)
            transitions += 1
            if world.violation == nil {
                guard seen.insert(Fingerprint(world)).inserted else { continue }
                world.inspect()
            }
            if let violation = world.violation { return trace(to: node, event, violation) }
            nodes.append(Node(origin: node, event: event))
            if !isLast { next.append((nodes.count - 1, world)) }
        }
        return nil
    }

    private func trace(to node: Int, _ last: ExploredWorld.Event, _ violation: String) -> String {
        var events = [last]
        var origin = node
        while let event = nodes[origin].event {
            events.append(event)
            origin = nodes[origin].origin
        }
        var world = beginning
        var lines = ["\(violation), after this:", "from \(world.summary)"]
        for event in events.reversed() {
            lines.append("\(world.description(of: event))")
            world.apply(event)
            lines.append("    \(world.summary)")
        }
        return lines.joined(separator: "\n")
    }
}
