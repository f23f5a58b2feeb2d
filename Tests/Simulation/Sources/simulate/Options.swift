// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The command line of `simulate`.
struct Options {
    var seed: UInt64?
    var first: UInt64 = 0
    var seeds: UInt64?
    /// Seconds.
    var duration: Double?
    var isTraced = false
    var printsJSON = false
    var shrinks = false
    var stopsAtFirst = false
    var checksReplay = false

    static let usage = """
        simulate --seeds N [--from SEED]   runs this number of seeds
        simulate --for SECONDS             runs as many seeds as fit
        simulate --seed SEED [--trace]     runs one seed, and prints its plan and its ledger
            --shrink    removes steps of the plan of a seed that fails, for as long as it fails
            --json      prints one JSON object
            --first     stops at the first violation
            --replay    runs each seed twice and compares
        The exit code is 0 without violations, 1 with violations, 2 if the options cannot be used.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--seed": seed = try Self.value(&rest, name)
            case "--from": first = try Self.value(&rest, name)
            case "--seeds": seeds = try Self.value(&rest, name)
            case "--for": duration = try Self.value(&rest, name)
            case "--trace": isTraced = true
            case "--json": printsJSON = true
            case "--shrink": shrinks = true
            case "--first": stopsAtFirst = true
            case "--replay": checksReplay = true
            default: throw Unusable(text: "unknown option \(name)")
            }
        }
        if seed == nil, seeds == nil, duration == nil { throw Unusable(text: "no number of seeds") }
    }

    struct Unusable: Error { let text: String }

    private static func value<Value: LosslessStringConvertible>(
        _ rest: inout ArraySlice<String>, _ name: String
    ) throws -> Value {
        guard let text = rest.popFirst(), let value = Value(text) else {
            throw Unusable(text: "\(name) needs a number")
        }
        return value
    }
}
