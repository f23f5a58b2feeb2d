// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A table of figures: in each line the figure, its bound, its control with the margin, the verdict and its
/// measurements.
struct FigureTable: CustomStringConvertible {
    private let figures: [Figure]

    init(_ figures: [Figure]) { self.figures = figures }

    var description: String {
        let width = figures.map(\.name.count).max() ?? 0
        return figures.map { figure in
            let columns = [
                figure.name.padding(toLength: width, withPad: " ", startingAt: 0),
                String(format: "%7.3f", figure.value),
                figure.bound.map { String(format: "≤ %6.2f", $0) } ?? "no bound",
                control(of: figure).padding(toLength: 22, withPad: " ", startingAt: 0),
                verdict(of: figure).padding(toLength: 13, withPad: " ", startingAt: 0),
                "\(figure.unit.rawValue): \(figure.detail)",
            ]
            return columns.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private func control(of figure: Figure) -> String {
        guard let control = figure.control else { return "no margin" }
        return String(format: "control %.3f ± %.3f", control, figure.margin)
    }

    private func verdict(of figure: Figure) -> String {
        switch figure.verdict {
        case .met: "ok"
        case .withinMargin: "within margin"
        case .missed: "MISSED"
        case .notJudged: "not judged"
        }
    }
}
