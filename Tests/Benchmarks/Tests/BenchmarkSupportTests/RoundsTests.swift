// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import BenchmarkSupport

@Suite struct RoundsTests {
    @Test func `the figure compares with the base, and the control with the contender itself`() {
        let rounds = Rounds(Array(repeating: (contender: 6, control: 9, base: 4), count: 5))
        #expect(rounds.figure == 1.5)
        #expect(rounds.controlFigure == 1.5)
        #expect(rounds.margin == 0.5)
    }

    @Test func `rounds that are alike leave no margin`() {
        #expect(Rounds(Array(repeating: (contender: 6, control: 6, base: 4), count: 5)).margin == 0)
    }

    @Test func `one disturbed round of many changes neither the figure nor the margin`() {
        let even = Array(repeating: (contender: 6.0, control: 6.0, base: 4.0), count: 40)
        let rounds = Rounds(even + [(contender: 6, control: 600, base: 400)])
        #expect(rounds.figure == 1.5)
        #expect(rounds.margin == 0)
    }

    @Test func `the margin is nearly three standard deviations of the control's median, and less in more rounds`() {
        // The median of n even samples from a range of width w has the standard deviation w / 2√(n + 2).
        let few = Rounds.swaying(by: 0.1, count: 23).margin
        let many = Rounds.swaying(by: 0.1, count: 98).margin
        #expect((0.045...0.075).contains(few))
        #expect((0.022...0.035).contains(many))
    }

    @Test func `the same rounds have the same margin`() {
        #expect(Rounds.swaying(by: 0.1, count: 30).margin == Rounds.swaying(by: 0.1, count: 30).margin)
    }
}

extension Rounds {
    fileprivate init(_ rounds: [(contender: Double, control: Double, base: Double)]) {
        self.init()
        for round in rounds { append(contender: round.contender, control: round.control, base: round.base) }
    }

    /// Rounds whose control lies evenly around the contender.
    fileprivate static func swaying(by part: Double, count: Int) -> Rounds {
        Rounds(
            (0..<count).map { index in
                let offset = part * (2 * Double(index) / Double(count - 1) - 1)
                return (contender: 1, control: 1 + offset, base: 1)
            })
    }
}
