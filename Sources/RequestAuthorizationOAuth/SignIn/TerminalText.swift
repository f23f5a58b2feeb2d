// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Text of a server that is shown to people.
enum TerminalText {
    /// Without what would steer a terminal or turn the reading direction: control and format characters (all that Unicode
    /// calls bidirectional marks, overrides and isolates), separators of lines, and what has no meaning.
    ///
    /// - Parameter limit: how many characters may stay.
    static func clean(_ text: String, limit: Int = 1000) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(4 * limit) where isHarmless(scalar) { clean.append(scalar) }
        return String(String(clean).prefix(limit))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
