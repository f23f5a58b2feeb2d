// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import BenchmarkSupport

@Suite struct FigureTests {
    @Test(arguments: [
        (1.03, 0.0, Figure.Verdict.met), (1.04, 0.0, .missed), (1.04, 0.02, .withinMargin), (1.06, 0.02, .missed),
        (0.9, 0.02, .met),
    ])
    func `a figure is missed above its bound and its margin`(value: Double, margin: Double, verdict: Figure.Verdict) {
        #expect(Figure.timed(value, bound: 1.03, margin: margin).verdict == verdict)
    }

    @Test func `a margin is a fraction of the bound`() {
        #expect(Figure.timed(0.31, bound: 0.3, margin: 0.05).verdict == .withinMargin)
        #expect(Figure.timed(0.32, bound: 0.3, margin: 0.05).verdict == .missed)
    }

    @Test func `within the margin a strict run fails and any other run passes`() {
        let within = Figure.timed(1.04, bound: 1.03, margin: 0.02)
        #expect(within.passes(strict: false))
        #expect(!within.passes(strict: true))
        #expect(Figure.timed(1.03, bound: 1.03, margin: 0.02).passes(strict: true))
        #expect(!Figure.timed(1.1, bound: 1.03, margin: 0.02).passes(strict: false))
    }

    @Test func `a figure without a bound is reported and fails no run`() throws {
        let figure = Figure.timed(9, bound: nil, margin: 0)
        #expect(figure.verdict == .notJudged)
        #expect(figure.passes(strict: true))
        #expect(figure.passes(strict: false))
        let row = FigureTable([figure]).description.split(separator: " ", omittingEmptySubsequences: true)
        #expect(row == "calls 9.000 no bound control 1.001 ± 0.000 not judged time: detail".split(separator: " "))
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(figure)) as? [String: Any]
        #expect(json?["bound"] == nil)
        #expect(json?["verdict"] as? String == "not judged")
    }

    @Test func `a count has no margin`() {
        #expect(Figure(name: "jobs", value: 1, bound: 0, detail: "").verdict == .missed)
        #expect(Figure(name: "jobs", value: 0, bound: 0, detail: "").verdict == .met)
    }

    @Test func `only figures of time are measured again`() {
        let met = Figure.timed(1, bound: 1.03, margin: 0)
        let missed = Figure.timed(1.1, bound: 1.03, margin: 0)
        let counted = Figure(name: "jobs", value: 1, bound: 0, detail: "")
        #expect(![met].mayPassAgain(strict: false))
        #expect([met, missed].mayPassAgain(strict: false))
        #expect(![counted].mayPassAgain(strict: false))
        #expect(![missed, counted].mayPassAgain(strict: false))
        let within = Figure.timed(1.04, bound: 1.03, margin: 0.02)
        #expect(![within].mayPassAgain(strict: false))
        #expect([within].mayPassAgain(strict: true))
    }

    @Test func `a missed figure is replaced by one of another process that passes or is lower`() throws {
        let figures = [1.02, 1.02, 1.2, 1.2, 1.2].map { Figure.timed($0, bound: 1.03, margin: 0) }
        let others = [1.3, 0.9, 1.01, 1.1, 1.3].map { Figure.timed($0, bound: 1.03, margin: 0) }
        #expect(try figures.replacingMissed(by: others, strict: false).map(\.value) == [1.02, 1.02, 1.01, 1.1, 1.2])
        #expect(throws: BenchmarkError.self) {
            try figures.replacingMissed(by: Array(others.dropLast()), strict: false)
        }
    }

    @Test func `another process reads a report as it was written`() throws {
        let figures = [
            Figure.timed(1.04, bound: 1.03, margin: 0.02), .timed(9, bound: nil, margin: 0),
            Figure(name: "jobs", value: 1, bound: 0, detail: ""),
        ]
        let json = try Report(measurements: figures).json()
        let read = try Report(json: Data(json.utf8))
        #expect(try read.json() == json)
        #expect(read.measurements.map(\.verdict) == [.withinMargin, .notJudged, .missed])
    }

    @Test func `the table and JSON show figure, control, margin and bound`() throws {
        let figure = Figure.timed(1.04, bound: 1.03, margin: 0.02)
        let row = FigureTable([figure]).description.split(separator: " ", omittingEmptySubsequences: true)
        #expect(row == "calls 1.040 ≤ 1.03 control 1.001 ± 0.020 within margin time: detail".split(separator: " "))
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(figure)) as? [String: Any]
        #expect(json?["value"] as? Double == 1.04)
        #expect(json?["bound"] as? Double == 1.03)
        #expect(json?["control"] as? Double == 1.001)
        #expect(json?["margin"] as? Double == 0.02)
        #expect(json?["verdict"] as? String == "within margin")
        #expect(json?["unit"] as? String == "time")
    }
}

extension Figure {
    fileprivate static func timed(_ value: Double, bound: Double?, margin: Double) -> Figure {
        Figure(name: "calls", value: value, bound: bound, unit: .time, control: 1.001, margin: margin, detail: "detail")
    }
}
