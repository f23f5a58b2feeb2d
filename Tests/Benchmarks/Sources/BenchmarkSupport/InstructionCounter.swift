// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Counts instructions: runs this program again under valgrind's callgrind.
///
/// That program marks the beginning and the end of each piece of work. Callgrind writes a file at each mark, with the number
/// of instructions since the mark before. What the start of the program takes is therefore not counted.
struct InstructionCounter {
    private let valgrind: String

    /// - Returns: `nil` if valgrind is not installed.
    init?() {
        let folders = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        let programs = folders.map { "\($0)/valgrind" }
        guard let valgrind = programs.first(where: FileManager.default.isExecutableFile) else { return nil }
        self.valgrind = valgrind
    }

    func count(_ comparisons: [Comparison], of group: String, slowDown: Double?) throws -> [Figure] {
        var figures = try count(comparisons, of: group, factors: comparisons.map { _ in 1 })
        if let slowDown {
            let factors = figures.map { figure in
                figure.bound.map { max(slowDown, $0 * slowDown / figure.value) } ?? 1
            }
            figures = try count(comparisons, of: group, factors: factors)
        }
        return figures
    }

    private func count(_ comparisons: [Comparison], of group: String, factors: [Double]) throws -> [Figure] {
        let totals = try totals(of: group, factors: factors)
        // Two pieces of work for each comparison, and two files for each of them: at its beginning and at its end.
        guard totals.count == 4 * comparisons.count else {
            throw BenchmarkError(description: "valgrind counted \(totals.count / 2) pieces of work in \(group)")
        }
        return zip(comparisons, comparisons.indices).map { comparison, index in
            let mine = totals[4 * index + 1] / comparison.contender.units
            let theirs = totals[4 * index + 3] / comparison.base.units
            return Figure(
                name: comparison.name, value: mine / theirs, bound: comparison.bound, unit: .instructions,
                control: nil, margin: 0,
                detail: "\(Int(mine.rounded())) / \(Int(theirs.rounded())) instructions")
        }
    }

    /// - Returns: the number of instructions between each mark and the mark before it.
    private func totals(of group: String, factors: [Double]) throws -> [Double] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = folder.appending(path: "count").path
        try run([
            "--tool=callgrind", "--dump-before=benchmark_mark", "--callgrind-out-file=\(output)",
            "--log-file=\(output).log", try ThisProgram.path(),
            "--mark=\(factors.map { "\($0)" }.joined(separator: ","))", group,
        ])
        var totals: [Double] = []
        while let text = try? String(contentsOfFile: "\(output).\(totals.count + 1)", encoding: .utf8) {
            totals.append(try total(in: text))
        }
        return totals
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: valgrind)
        process.arguments = arguments
        // Otherwise the order of dictionary entries differs between processes.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            throw BenchmarkError(description: "valgrind ended with \(process.terminationStatus)")
        }
    }

    private func total(in text: String) throws -> Double {
        let lines = text.split(separator: "\n").reversed()
        guard let line = lines.first(where: { $0.hasPrefix("totals: ") }),
            let total = Double(line.dropFirst("totals: ".count))
        else { throw BenchmarkError(description: "callgrind wrote no total") }
        return total
    }
}
