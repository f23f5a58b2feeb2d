// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Text in one style.
struct Span: Hashable, Sendable, ExpressibleByStringInterpolation {
    enum Style: Hashable, Sendable { case plain, bold, dim, good, bad }

    var text: String
    var style = Style.plain

    init(_ text: String, _ style: Style = .plain) { (self.text, self.style) = (text, style) }
    init(stringLiteral text: String) { self.init(text) }

    static func bold(_ text: String) -> Span { Span(text, .bold) }
    static func dim(_ text: String) -> Span { Span(text, .dim) }
    static func good(_ text: String) -> Span { Span(text, .good) }
    static func bad(_ text: String) -> Span { Span(text, .bad) }

    /// The width in the columns of a terminal.
    var width: Int { text.reduce(0) { $0 + (Self.isWide($1) ? 2 : 1) } }

    /// The wide blocks of Unicode Standard Annex 11, accurate enough for a table.
    private static func isWide(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        return switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

/// A part of a command's output, independent of whether it goes to a terminal.
enum Block: Hashable, Sendable {
    case line([Span])
    /// Columns with headings.
    case table([String], [[Span]])
    /// Lines of a name and a value.
    case facts([(String, Span)])

    static func == (one: Block, other: Block) -> Bool { one.rows == other.rows }
    func hash(into hasher: inout Hasher) { hasher.combine(rows) }

    /// The cells of each line. The spans of a single line are not columns.
    var rows: [[Span]] {
        switch self {
        case .line(let spans): [spans]
        case .table(let headings, let rows): [headings.map { .dim($0) }] + rows
        case .facts(let facts): facts.map { [.dim($0), $1] }
        }
    }
}

/// Renders blocks as lines. All output goes through it, and only this type writes escape sequences.
struct Renderer: Sendable {
    /// Whether styles are shown.
    var colours: Bool

    func render(_ blocks: [Block]) -> String { blocks.flatMap(lines).joined(separator: "\n") }

    // MARK: -

    private func lines(_ block: Block) -> [String] {
        let rows = block.rows.map { row in row.map { Span(PlainText.clean($0.text), $0.style) } }
        if case .line = block { return rows.map { $0.map(paint).joined() } }
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.width)
            }
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let isLast = column == row.count - 1
                let room = isLast ? 0 : widths[column] + 2 - cell.width
                return paint(cell) + String(repeating: " ", count: room)
            }.joined()
        }
    }

    private func paint(_ span: Span) -> String {
        let code: String? =
            switch span.style {
            case .plain: nil
            case .bold: "1"
            case .dim: "2"
            case .good: "32"
            case .bad: "31"
            }
        guard colours, let code, !span.text.isEmpty else { return span.text }
        return "\u{1B}[\(code)m\(span.text)\u{1B}[0m"
    }
}
