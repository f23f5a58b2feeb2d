// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Markup. Interpolated values are escaped, unless they are markup themselves.
///
///     let page: HTML = "<p>\(client.name)</p>"
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    let text: String

    init(stringLiteral text: String) { self.text = text }
    init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    /// Joins pieces.
    init(_ pieces: [HTML]) { text = pieces.map(\.text).joined() }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: HTML) { text += value.text }
        mutating func appendInterpolation(_ value: String) {
            // Control and bidirectional characters could disguise a text.
            for scalar in value.unicodeScalars where scalar.properties.generalCategory != .control {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                case "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": continue
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
