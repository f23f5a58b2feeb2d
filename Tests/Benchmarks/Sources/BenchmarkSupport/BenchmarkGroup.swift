// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Figures that are measured together.
package struct BenchmarkGroup: Sendable {
    package typealias SlowDown = Double?

    let name: String
    /// Comparisons of work in one thread that does the same each time: its instructions are counted.
    let counted: @Sendable () async throws -> [Comparison]
    /// What is measured in place of `counted` where nothing counts. By default the time of the same work is compared.
    let uncounted: (@Sendable (SlowDown) async throws -> [Figure])?
    /// Everything else.
    let measured: @Sendable (SlowDown) async throws -> [Figure]

    package init(
        _ name: String, counted: @escaping @Sendable () async throws -> [Comparison] = { [] },
        uncounted: (@Sendable (SlowDown) async throws -> [Figure])? = nil,
        measured: @escaping @Sendable (SlowDown) async throws -> [Figure] = { _ in [] }
    ) {
        self.name = name
        self.counted = counted
        self.uncounted = uncounted
        self.measured = measured
    }

    /// The figures that are the same in each process: instructions, if something counts them.
    func countedFigures(slowDown: SlowDown, counter: InstructionCounter?) async throws -> [Figure] {
        let comparisons = try await counted()
        guard let counter, !comparisons.isEmpty else { return [] }
        return try counter.count(comparisons, of: name, slowDown: slowDown)
    }

    /// All other figures.
    func measuredFigures(slowDown: SlowDown, counter: InstructionCounter?) async throws -> [Figure] {
        let uncounted = counter == nil ? try await uncountedFigures(slowDown) : []
        return try await uncounted + measured(slowDown)
    }

    private func uncountedFigures(_ slowDown: SlowDown) async throws -> [Figure] {
        if let uncounted { return try await uncounted(slowDown) }
        var figures: [Figure] = []
        for comparison in try await counted() { figures.append(try await comparison.measure(slowDown: slowDown)) }
        return figures
    }
}
