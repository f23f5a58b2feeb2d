// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Markup. Interpolated values are escaped, unless they are markup themselves.
///
///     let name = "<script>"
///     let greeting: HTML = "<p>Hello, \(name)</p>"     // <p>Hello, &lt;script&gt;</p>
///
/// Only a literal in the source can become markup, so that outside text cannot become markup by mistake.
struct HTML: Hashable, Sendable {
    /// The markup as it is sent.
    let markup: String

    private init(markup: String) { self.markup = markup }

    /// Joins pieces of markup.
    init(_ pieces: [HTML]) { markup = pieces.map(\.markup).joined(separator: "\n") }

    /// Escapes text for an element or a quoted attribute.
    static func escape(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\u{0}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension HTML: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { markup += literal }
        mutating func appendInterpolation(_ text: String) { markup += HTML.escape(text) }
        mutating func appendInterpolation(_ number: Int) { markup += String(number) }
        mutating func appendInterpolation(_ html: HTML) { markup += html.markup }
    }

    init(stringLiteral value: String) { self.init(markup: value) }
    init(stringInterpolation: StringInterpolation) { self.init(markup: stringInterpolation.markup) }
}
