// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// Everything that can happen to the state, in every order, as far as ``depth``.
struct RefreshStateExploration {
    /// How many events in a row; more with `REFRESH_STATE_DEPTH`.
    static let depth = ProcessInfo.processInfo.environment["REFRESH_STATE_DEPTH"].flatMap { Int($0) } ?? 6

    @Test(arguments: ExploredStorage.allCases)
    func `no order of events breaks a promise`(storage: ExploredStorage) async {
        var exploration = Exploration(storage.beginnings)
        let trace = await exploration.run(depth: Self.depth)
        print(
            "RefreshState with storage \(storage): \(exploration.states) states, \(exploration.transitions) transitions,",
            "depth \(exploration.depth)")
        if let trace { Issue.record("\(trace)") } else { #expect(exploration.depth >= Self.depth) }
    }
}

enum ExploredStorage: CaseIterable {
    case none, plain, shared

    /// Where explorations begin.
    var beginnings: [ExploredWorld] {
        switch self {
        case .none: [.cold(.none)]
        case .plain: [.cold(.plain)]
        case .shared: [.cold(.shared)]
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
    private let beginnings: [ExploredWorld]
    private var seen: Set<Fingerprint> = []
    private var nodes: [Node] = []

    init(_ beginnings: [ExploredWorld]) { self.beginnings = beginnings }

    /// - Returns: how a promise is broken, if one is.
    mutating func run(depth limit: Int) async -> String? {
        var frontier: [(node: Int, world: ExploredWorld)] = []
        for (index, world) in beginnings.enumerated() {
            nodes.append(Node(origin: -1 - index, event: nil))
            frontier.append((index, world))
            seen.insert(Fingerprint(world))
        }
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
            if ProcessInfo.processInfo.environment["REFRESH_STATE_DEPTH"] != nil {
                print(depth, nodes.count, transitions)
            }
        }
        states = nodes.count
        return nil
    }

    private func trace(to node: Int, _ last: ExploredWorld.Event, _ violation: String) -> String {
        var events = [last]
        var origin = node
        while origin >= 0, let event = nodes[origin].event {
            events.append(event)
            origin = nodes[origin].origin
        }
        var world = beginnings[-1 - nodes[origin].origin]
        var lines = ["\(violation), after this:", "from \(world.summary)"]
        for event in events.reversed() {
            lines.append("\(world.description(of: event))")
            world.apply(event)
            lines.append("    \(world.summary)")
        }
        return lines.joined(separator: "\n")
    }
}
