// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Makes untrusted text safe for a terminal.
///
/// Names of songs and messages of servers are untrusted. An escape sequence could move the cursor, set the window's
/// title or reverse the direction of text. So it could fake a line of output.
enum PlainText {
    /// Replaces line breaks and tabs by spaces, and drops invisible characters, direction marks and escapes included.
    static func clean(_ text: String) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control: if scalar == "\n" || scalar == "\t" || scalar == "\r" { clean.append(" ") }
            case .lineSeparator, .paragraphSeparator: clean.append(" ")
            // Joiners are part of words and emoji. Other format characters change the direction of text, or hide or tag
            // it.
            case .format: if scalar == "\u{200C}" || scalar == "\u{200D}" { clean.append(scalar) }
            default: clean.append(scalar)
            }
        }
        return String(clean)
    }

    /// Writes the characters that ``clean(_:)`` would drop as `\u` and four digits, which is the same JSON.
    static func escape(json: String) -> String {
        let kinds: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        return json.unicodeScalars.map { scalar -> String in
            // Line breaks are between the members only: in strings they are escaped already.
            guard scalar != "\n", kinds.contains(scalar.properties.generalCategory) else { return String(scalar) }
            return String(scalar).utf16.map { "\\u\(String(0x10000 + Int($0), radix: 16).dropFirst())" }.joined()
        }.joined()
    }
}
