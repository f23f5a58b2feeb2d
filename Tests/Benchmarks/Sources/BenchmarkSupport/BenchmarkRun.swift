// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation

/// The main function of the benchmarks.
package struct BenchmarkRun: Sendable {
    private let groups: [BenchmarkGroup]

    package init(groups: [BenchmarkGroup]) { self.groups = groups }

    /// Measures the groups that the command line names, or all, prints the figures, and ends the process: with 1 if a bound is
    /// missed.
    package func run() -> Never {
        #if DEBUG
        complain("This is a debug build: add -c release")
        exit(2)
        #else
        do {
            let options = try BenchmarkOptions(CommandLine.arguments.dropFirst())
            if let unknown = options.groups.first(where: { name in !groups.contains { $0.name == name } }) {
                throw BenchmarkError(description: "there is no group \(unknown)")
            }
            Task.detached { await measure(options) }
            // Callgrind does not survive the end of the main thread, which `dispatchMain` ends.
            if options.factors != nil { DispatchSemaphore(value: 0).wait() }
            dispatchMain()
        } catch {
            complain("\(error)")
            exit(2)
        }
        #endif
    }

    private func measure(_ options: BenchmarkOptions) async -> Never {
        do {
            var figures: [Figure] = []
            for group in groups where options.groups.isEmpty || options.groups.contains(group.name) {
                if let factors = options.factors {
                    for (comparison, factor) in zip(try await group.counted(), factors) {
                        try await comparison.mark(factor: factor)
                    }
                } else {
                    complain("measuring \(group.name) …")
                    figures += try await judged(group, options)
                }
            }
            if options.factors == nil { try report(figures, options) }
            exit(figures.allSatisfy { $0.passes(strict: options.isStrict) } ? 0 : 1)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// A control uses the connections and threads of its own measurement, and cannot show how another measurement would
    /// place them. So a bound counts as missed only if three measurements in a row miss it, each with new connections.
    /// What is counted has one measurement: another would be the same.
    private func judged(_ group: BenchmarkGroup, _ options: BenchmarkOptions) async throws -> [Figure] {
        var figures = try await group.figures(slowDown: options.slowDown)
        for _ in 0..<2 where figures.mayPassAgain(strict: options.isStrict) {
            complain("measuring \(group.name) again …")
            figures = zip(figures, try await group.figures(slowDown: options.slowDown)).map { figure, next in
                if figure.passes(strict: options.isStrict) { return figure }
                return next.passes(strict: options.isStrict) || next.value < figure.value ? next : figure
            }
        }
        return figures
    }

    private func report(_ figures: [Figure], _ options: BenchmarkOptions) throws {
        if options.isJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(["measurements": figures]), as: UTF8.self))
        } else {
            print(FigureTable(figures))
        }
        if !figures.allSatisfy({ $0.passes(strict: options.isStrict) }) { complain("A bound is missed.") }
    }

    private func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
