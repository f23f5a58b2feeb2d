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

    /// Counts instructions if valgrind is installed.
    func figures(slowDown: SlowDown, counter: InstructionCounter? = InstructionCounter()) async throws -> [Figure] {
        try await figures(of: counted(), slowDown, counter) + measured(slowDown)
    }

    private func figures(
        of comparisons: [Comparison], _ slowDown: SlowDown, _ counter: InstructionCounter?
    ) async throws -> [Figure] {
        if comparisons.isEmpty { return [] }
        if let counter { return try counter.count(comparisons, of: name, slowDown: slowDown) }
        if let uncounted { return try await uncounted(slowDown) }
        var figures: [Figure] = []
        for comparison in comparisons { figures.append(try await comparison.measure(slowDown: slowDown)) }
        return figures
    }
}
