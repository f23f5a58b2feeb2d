// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The command line of the benchmarks.
package struct BenchmarkOptions: Sendable, Equatable {
    /// The groups to measure; all if empty.
    package var groups: [String] = []
    /// Prints one JSON object in place of the table.
    package var isJSON = false
    /// Judges without the margin.
    package var isStrict = false
    /// Slows the contenders down until each figure is this many times its bound: then the run must fail.
    package var slowDown: Double?
    /// Marks the work of the comparisons for a tool that counts instructions, each contender slowed down by its factor.
    var factors: [Double]?
    /// Measures a group again for another process, which reads the figures as JSON and judges them.
    package var isAgain = false

    package init(_ arguments: some Sequence<String>) throws {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            switch (parts.first, parts.dropFirst().first) {
            case ("--json", nil): isJSON = true
            case ("--strict", nil): isStrict = true
            case ("--again", nil): (isAgain, isJSON) = (true, true)
            case ("--slow-down", let value?): slowDown = try Self.factor(value)
            case ("--mark", let value?): factors = try value.split(separator: ",").map { try Self.factor(String($0)) }
            case (let name?, nil) where !name.hasPrefix("-"): groups.append(name)
            default: throw BenchmarkError(description: "unknown argument \(argument)")
            }
        }
    }

    private static func factor(_ text: String) throws -> Double {
        guard let factor = Double(text), factor >= 1 else {
            throw BenchmarkError(description: "\(text) is no factor of 1 or more")
        }
        return factor
    }
}
