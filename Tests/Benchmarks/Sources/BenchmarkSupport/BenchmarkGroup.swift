// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Figures that are measured together.
package struct BenchmarkGroup: Sendable {
    package typealias SlowDown = Double?

    let name: String
    /// Comparisons of work in one thread that does the same each time: its instructions are counted.
    let counted: @Sendable () async throws -> [Comparison]
    /// Everything else.
    let measured: @Sendable (SlowDown) async throws -> [Figure]

    package init(
        _ name: String, counted: @escaping @Sendable () async throws -> [Comparison] = { [] },
        measured: @escaping @Sendable (SlowDown) async throws -> [Figure] = { _ in [] }
    ) {
        self.name = name
        self.counted = counted
        self.measured = measured
    }

    /// Counts instructions if valgrind is installed, else times the same work.
    func figures(slowDown: SlowDown) async throws -> [Figure] {
        let comparisons = try await counted()
        var figures: [Figure] = []
        if comparisons.isEmpty {
        } else if let counter = InstructionCounter() {
            figures = try counter.count(comparisons, of: name, slowDown: slowDown)
        } else {
            for comparison in comparisons { figures.append(try await comparison.measure(slowDown: slowDown)) }
        }
        return try await figures + measured(slowDown)
    }
}
