// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Changes the white space and the line ends of a PEM text as settings, shells and editors do. The seed decides how.
struct MangledPEM {
    let text: String

    init(_ pem: String, seed: UInt64) {
        var random = SplitMix(state: seed)
        var lines = pem.split(whereSeparator: \.isNewline).map(String.init)
        if random.oneIn(2) { lines = lines.map { $0 + random.pick(["", " ", "\t", "  \t ", "\u{A0}"]) } }
        if random.oneIn(2) {
            let indent = random.pick(["  ", "\t", "        ", "\u{A0}"])
            let isFirstKept = random.oneIn(2)
            lines = lines.enumerated().map { $0.offset == 0 && isFirstKept ? $0.element : indent + $0.element }
        }
        if random.oneIn(4) { lines = lines.flatMap { random.oneIn(3) ? [$0, ""] : [$0] } }
        if random.oneIn(8) { lines = lines.map { random.pick(["\"", "'"]) + $0 + random.pick(["\"", "'"]) } }
        var text = lines.joined(separator: random.pick(Self.lineEnds))
        if random.oneIn(2) { text += random.pick(Self.lineEnds) }
        if random.oneIn(3) {
            let quote = random.pick(["\"", "'", "`"])
            text = quote + text + quote
        }
        if random.oneIn(3) { text = random.pick(["\u{FEFF}", " ", "\n\n", "\u{200B}", "KEY=", "key: |\n"]) + text }
        if random.oneIn(3) { text += random.pick(["\n\n", " ", "\u{FEFF}", "\n# the end", "\u{2028}"]) }
        self.text = text
    }

    private static let lineEnds = [
        "\n", "\r\n", "\r", "", " ", "   ", "\t", "\\n", "\\r\\n", "\\\\n", "\\n\n", " \\\n", "\u{2028}", "\u{85}",
        "\n\n",
    ]
}

extension SplitMix {
    fileprivate mutating func oneIn(_ count: UInt64) -> Bool { next() % count == 0 }

    fileprivate mutating func pick(_ texts: [String]) -> String { texts[Int(next() % UInt64(texts.count))] }
}
