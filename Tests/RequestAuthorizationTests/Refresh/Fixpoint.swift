// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

/// All states of a small machine, without a limit to the number of events: the search ends when no event leads to a
/// new state.
struct Fixpoint<World, Key: Hashable> {
    /// What happens, in words, and the world after it.
    typealias Event = (name: String, world: World)

    /// Tells worlds apart that can behave differently.
    let key: (World) -> Key
    let events: (World) -> [Event]
    /// The broken promise of a world; `nil` if there is none.
    let violation: (World) -> String?

    /// - Returns: the number of states. A broken promise is recorded, with the shortest path to it.
    func explore(_ name: String, from beginnings: [World]) -> Int {
        var nodes = beginnings.map { (origin: -1, name: "the beginning", world: $0) }
        var seen = Set(beginnings.map(key))
        var next = 0
        while next < nodes.count {
            for event in events(nodes[next].world) {
                if let violation = violation(event.world) {
                    Issue.record("\(name): \(violation), after \(path(to: next, nodes) + [event.name])")
                    return nodes.count
                }
                if seen.insert(key(event.world)).inserted { nodes.append((next, event.name, event.world)) }
            }
            next += 1
            guard next < 1_000_000 else {
                Issue.record("\(name): there is no end of states")
                return next
            }
        }
        print("\(name): \(nodes.count) states, and no other")
        return nodes.count
    }

    private func path(to node: Int, _ nodes: [(origin: Int, name: String, world: World)]) -> [String] {
        var (names, place) = ([String](), node)
        while place >= 0 {
            names.insert(nodes[place].name, at: 0)
            place = nodes[place].origin
        }
        return names
    }
}
