// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One figure and its bound, if it has one; all are ratios or counts within one run, so that any machine can judge them.
package struct Figure: Sendable, Codable {
    /// The measurements behind the figure.
    package enum Unit: String, Sendable, Codable { case time, instructions, count }

    package enum Verdict: String, Sendable, Encodable {
        case met
        /// Above the bound, but by less than the machine's measurement error. Only a strict run fails.
        case withinMargin = "within margin"
        case missed
        /// There is no bound: the figure is reported, and fails no run.
        case notJudged = "not judged"
    }

    package let name: String
    package let value: Double
    /// `nil` for a figure that is reported without a promise.
    package let bound: Double?
    package let unit: Unit
    /// The figure of the contender against itself, of times only.
    package let control: Double?
    /// How far the control lies from 1 by chance, as a fraction of the figure. 0 for counts.
    package let margin: Double
    /// The measurements behind the figure, as text.
    package let detail: String

    /// A count.
    package init(name: String, value: Double, bound: Double?, detail: String) {
        self.init(name: name, value: value, bound: bound, unit: .count, control: nil, margin: 0, detail: detail)
    }

    init(
        name: String, value: Double, bound: Double?, unit: Unit, control: Double?, margin: Double, detail: String
    ) {
        self.name = name
        self.value = value
        self.bound = bound
        self.unit = unit
        self.control = control
        self.margin = margin
        self.detail = detail
    }

    /// The same with more details.
    package func adding(_ text: String) -> Figure {
        Figure(
            name: name, value: value, bound: bound, unit: unit, control: control, margin: margin,
            detail: "\(detail); \(text)")
    }

    package var verdict: Verdict {
        guard let bound else { return .notJudged }
        if value <= bound { return .met }
        return value <= bound * (1 + margin) ? .withinMargin : .missed
    }

    /// - Parameter strict: whether the margin is left out.
    package func passes(strict: Bool) -> Bool {
        switch verdict {
        case .met, .notJudged: true
        case .withinMargin: !strict
        case .missed: false
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            value: try container.decode(Double.self, forKey: .value),
            bound: try container.decodeIfPresent(Double.self, forKey: .bound),
            unit: try container.decode(Unit.self, forKey: .unit),
            control: try container.decodeIfPresent(Double.self, forKey: .control),
            margin: try container.decode(Double.self, forKey: .margin),
            detail: try container.decode(String.self, forKey: .detail))
    }

    private enum CodingKeys: CodingKey { case name, value, bound, unit, control, margin, verdict, detail }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
        try container.encodeIfPresent(bound, forKey: .bound)
        try container.encode(unit, forKey: .unit)
        try container.encodeIfPresent(control, forKey: .control)
        try container.encode(margin, forKey: .margin)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(detail, forKey: .detail)
    }
}

extension [Figure] {
    /// Whether bounds are missed, and all of them by figures of time, which another measurement may change.
    func mayPassAgain(strict: Bool) -> Bool {
        let missed = filter { !$0.passes(strict: strict) }
        return !missed.isEmpty && missed.allSatisfy { $0.unit == .time }
    }

    /// The figures after another measurement: one that fails is replaced by one that passes, or is lower.
    func replacingMissed(by others: [Figure], strict: Bool) throws -> [Figure] {
        guard map(\.name) == others.map(\.name) else {
            throw BenchmarkError(description: "the other process measured \(others.map(\.name))")
        }
        return zip(self, others).map { figure, other in
            if figure.passes(strict: strict) { return figure }
            return other.passes(strict: strict) || other.value < figure.value ? other : figure
        }
    }
}
