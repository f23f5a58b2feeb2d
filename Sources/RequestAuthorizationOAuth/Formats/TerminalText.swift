// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Makes a server's text safe to show.
enum TerminalText {
    /// Removes characters that could control a terminal or change the reading direction. Keeps at most
    /// `limit` characters.
    ///
    /// These are control and format characters (which include Unicode's bidirectional marks, overrides and isolates),
    /// line and paragraph separators, and private or unassigned characters.
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
