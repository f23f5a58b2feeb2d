// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import CSimulation
import Simulation
import SimulationCheck

#if canImport(Glibc)
import Glibc
#endif

@main
struct Simulate {
    static func main() {
        hashTheSameEverywhere()
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            Simulation.prepare()
            exit(run(options) ? 0 : 1)
        } catch let error as Options.Unusable {
            print("simulate: \(error.text)\n\n\(Options.usage)")
        } catch {
            print("simulate: \(error)")
        }
        exit(2)
    }

    /// Starts the program again if its hash values are random: the order of dictionaries would change each run.
    private static func hashTheSameEverywhere() {
        guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        var arguments = CommandLine.unsafeArgv
        execv("/proc/self/exe", arguments)
        // It only returns if it has failed.
        withUnsafeMutablePointer(to: &arguments) { _ in perror("simulate") }
        exit(2)
    }

    private static func run(_ options: Options) -> Bool {
        if let seed = options.seed { return runOne(seed, options) }
        var report = Report()
        let begin = simulation_real_nanoseconds()
        var seed = options.first
        while true {
            let elapsed = Double(simulation_real_nanoseconds() - begin) / 1e9
            report.seconds = elapsed
            if let seeds = options.seeds, seed - options.first >= seeds { break }
            if let duration = options.duration, elapsed >= duration { break }
            let result = Simulation.run(Plan(seed: seed))
            report.add(result)
            if options.checksReplay, Simulation.run(Plan(seed: seed)).digest != result.digest {
                report.differing.append(seed)
            }
            if options.stopsAtFirst, !report.violations.isEmpty { break }
            seed += 1
        }
        if options.printsJSON {
            print(report.json)
        } else {
            print("\(report.seeds) seeds, \(report.expiries) expiries, \(report.violations.count) with violations")
            for finding in report.violations { print("seed \(finding.seed): \(finding.promise): \(finding.detail)") }
            for seed in report.differing { print("seed \(seed) ran another way the second time") }
        }
        return report.violations.isEmpty && report.differing.isEmpty
    }

    private static func runOne(_ seed: UInt64, _ options: Options) -> Bool {
        var result = Simulation.run(Plan(seed: seed))
        if options.shrinks, let first = result.verdict.violations.first {
            result = Simulation.run(Shrinking.smallest(result.plan, still: first.promise))
        }
        if options.isTraced { result = Simulation.run(result.plan, isTraced: true) }
        if options.printsJSON {
            var report = Report()
            report.add(result)
            print(report.json)
        } else {
            let plan = result.plan
            print(
                "seed \(seed): \(plan.setting.store.rawValue), grace \(plan.setting.grace / 1_000_000_000) s,",
                terminator: " ")
            print("lifetime \(plan.lifetime / 1_000_000_000) s, \(plan.slots) processes, digest \(result.digest)")
            for step in plan.steps where options.isTraced || options.shrinks { print("plan ", step) }
            for fact in result.facts where options.isTraced { print(fact) }
            for violation in result.verdict.violations { print(violation) }
        }
        return result.verdict.violations.isEmpty
    }
}
