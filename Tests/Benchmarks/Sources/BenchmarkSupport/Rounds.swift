// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The costs of the rounds of one comparison. In each round the contender ran twice and its base once.
struct Rounds: Sendable {
    private(set) var contender: [Double] = []
    /// The contender once more.
    private(set) var control: [Double] = []
    private(set) var base: [Double] = []

    mutating func append(contender: Double, control: Double, base: Double) {
        self.contender.append(contender)
        self.control.append(control)
        self.base.append(base)
    }

    var count: Int { base.count }

    /// The contender's cost in units of its base's.
    var figure: Double { zip(contender, base).map { $0 / $1 }.median }

    /// The contender's cost in units of its own cost: 1 on a machine that does nothing else.
    var controlFigure: Double { controls.median }

    /// How far the control lies from 1 by chance, judged by its own rounds.
    ///
    /// The rounds are drawn anew, with repetition, as often as there were rounds (a bootstrap). The margin is the distance
    /// from 1 that 995 of 1 000 such medians keep. The draws begin with a fixed seed: the same rounds have the same margin.
    var margin: Double {
        let controls = controls
        guard controls.count > 1 else { return 0 }
        var random = SplitMix(state: 1)
        let distances = (0..<1_000).map { _ in
            abs(controls.map { _ in controls[Int.random(in: controls.indices, using: &random)] }.median - 1)
        }
        return distances.sorted()[994]
    }

    private var controls: [Double] { zip(control, contender).map { $0 / $1 } }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators": small, and the same on each platform.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var result = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        result = (result ^ (result >> 27)) &* 0x94D0_49BB_1331_11EB
        return result ^ (result >> 31)
    }
}
