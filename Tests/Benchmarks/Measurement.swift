// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// One figure that is held to a bound; all are ratios or counts within one run, so that any machine can judge them.
struct Measurement: Sendable, Encodable {
    let name: String
    let value: Double
    let bound: Double
    /// What the figure was made from, for people.
    let detail: String

    var isMet: Bool { value <= bound }

    enum CodingKeys: CodingKey { case name, value, bound, isMet, detail }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
        try container.encode(bound, forKey: .bound)
        try container.encode(isMet, forKey: .isMet)
        try container.encode(detail, forKey: .detail)
    }
}

/// A measurement could not be made.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
}

/// A piece of work that is timed: does what it is about so many times.
struct Contender: Sendable {
    let work: @Sendable (_ times: Int) async throws -> Void

    init(_ work: @escaping @Sendable (_ times: Int) async throws -> Void) { self.work = work }
}

/// Times contenders in turn, so that a machine that is busy for a while is busy for all of them.
///
/// - Returns: for each the nanoseconds per time of its best round.
func race(_ contenders: [Contender], times: Int, rounds: Int) async throws -> [Double] {
    var best = [Double](repeating: .infinity, count: contenders.count)
    for contender in contenders { try await contender.work(max(1, times / 10)) }
    for _ in 0..<rounds {
        for (index, contender) in contenders.enumerated() {
            let duration = try await ContinuousClock().measure { try await contender.work(times) }
            best[index] = min(best[index], duration.nanoseconds / Double(times))
        }
    }
    return best
}

/// How much time of any core something takes: unlike the time on the wall it does not depend on what else the machine does.
func processorTime(_ body: () async throws -> Void) async rethrows -> Duration {
    let before = processorTime()
    try await body()
    return processorTime() - before
}

private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
}

extension Duration {
    var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

extension Double {
    /// A time that people can read.
    var asTime: String {
        switch self {
        case ..<1e4: "\(Int(rounded())) ns"
        case ..<1e7: "\(rounded(places: 1, per: 1e3)) µs"
        default: "\(rounded(places: 1, per: 1e6)) ms"
        }
    }

    func rounded(places: Int, per unit: Double = 1) -> Double {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return (self / unit * scale).rounded() / scale
    }
}
