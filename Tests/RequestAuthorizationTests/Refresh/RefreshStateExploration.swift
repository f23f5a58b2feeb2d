// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// Everything that can happen to the state, in every order, as far as a number of events in a row.
///
/// `REFRESH_STATE_DEPTH` in the environment makes it more; each one takes about four times as long.
struct RefreshStateExploration {
    @Test(arguments: ExploredStorage.allCases)
    func `no order of events breaks a promise`(storage: ExploredStorage) async {
        await explore(storage.name, .cold(storage.kind), depth: 8)
    }

    @Test(arguments: [ExploredStorage.plain, .shared])
    func `nor does any if the store's answers are late`(storage: ExploredStorage) async {
        var world = ExploredWorld.warm(storage.kind)
        (world.hasRaces, world.callerLimit) = (true, 1)
        await explore("\(storage.name), late", world, depth: 5)
    }

    @Test(arguments: [true, false])
    func `nor does any in the middle of a refresh with a shared store`(isSaved: Bool) async {
        var world = ExploredWorld.warm(.shared)
        if !isSaved { world.apply(.setToken) }
        for event in [.unauthorized] + Array(repeating: ExploredWorld.Event.step(0, .ok), count: 3) {
            world.apply(event)
        }
        await explore("shared, \(isSaved ? "saved" : "unsaved") and refreshing", world, depth: 5)
    }

    private func explore(_ name: String, _ beginning: ExploredWorld, depth: Int) async {
        let wanted = ProcessInfo.processInfo.environment["REFRESH_STATE_DEPTH"].flatMap { Int($0) } ?? depth
        var exploration = Exploration(beginning)
        let trace = await exploration.run(depth: wanted)
        print(
            "RefreshState, storage \(name): \(exploration.states) states, \(exploration.transitions) transitions,",
            "depth \(exploration.depth)")
        if let trace { Issue.record("\(trace)") }
    }
}

enum ExploredStorage: CaseIterable {
    case none, plain, shared

    var name: String { "\(self)" }

    var kind: ExploredWorld.State.Storage {
        switch self {
        case .none: .none
        case .plain: .plain
        case .shared: .shared
        }
    }
}

/// A search in breadth: the first broken promise that it finds has the shortest way to it.
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
        var frontier = [(node: 0, world: beginning)]
        nodes = [Node(origin: 0, event: nil)]
        seen = [Fingerprint(beginning)]
        while depth < limit, !frontier.isEmpty {
            var next: [(node: Int, world: ExploredWorld)] = []
            for (node, world) in frontier {
                // Other tests want to run too.
                await Task.yield()
                for event in world.events {
                    var world = world
                    world.apply(event)
                    transitions += 1
                    if let violation = world.violation { return trace(to: node, event, violation) }
                    guard seen.insert(Fingerprint(world)).inserted else { continue }
                    nodes.append(Node(origin: node, event: event))
                    next.append((nodes.count - 1, world))
                }
            }
            frontier = next
            depth += 1
        }
        states = nodes.count
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
