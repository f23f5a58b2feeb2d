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
                } else if options.isAgain {
                    let counter = InstructionCounter()
                    figures += try await group.measuredFigures(slowDown: options.slowDown, counter: counter)
                } else {
                    complain("measuring \(group.name) …")
                    figures += try await judged(group, options)
                }
            }
            if options.factors == nil { try report(figures, options) }
            // The process that asked for another measurement judges it.
            if options.isAgain || figures.allSatisfy({ $0.passes(strict: options.isStrict) }) { exit(0) }
            complain("A bound is missed.")
            exit(1)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// A control uses the memory, threads and connections of its own process, and cannot show how another process would
    /// place them. So a bound counts as missed only if three measurements in a row miss it, each in its own process. What is
    /// counted has one measurement: another would be the same.
    private func judged(_ group: BenchmarkGroup, _ options: BenchmarkOptions) async throws -> [Figure] {
        let counter = InstructionCounter()
        let counted = try await group.countedFigures(slowDown: options.slowDown, counter: counter)
        var measured = try await group.measuredFigures(slowDown: options.slowDown, counter: counter)
        for _ in 0..<2 where (counted + measured).mayPassAgain(strict: options.isStrict) {
            complain("measuring \(group.name) again …")
            let slowDown = options.slowDown.map { ["--slow-down=\($0)"] } ?? []
            let output = try ThisProgram.output([group.name, "--again"] + slowDown)
            let others = try Report(json: output).measurements
            measured = try measured.replacingMissed(by: others, strict: options.isStrict)
        }
        return counted + measured
    }

    private func report(_ figures: [Figure], _ options: BenchmarkOptions) throws {
        if options.isJSON {
            print(try Report(measurements: figures).json())
        } else {
            print(FigureTable(figures))
        }
    }

    private func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

/// The figures of a run as JSON.
struct Report: Codable {
    let measurements: [Figure]

    init(measurements: [Figure]) { self.measurements = measurements }

    init(json: Data) throws { self = try JSONDecoder().decode(Self.self, from: json) }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
