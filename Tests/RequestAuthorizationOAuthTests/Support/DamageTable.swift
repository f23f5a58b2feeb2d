// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

/// The table of damaged answers in `Documentation/Design/Failures.md`, which the tests compare with the code.
enum DamageTable {
    struct Row: CustomTestStringConvertible, Sendable {
        let damage: String
        let body: [UInt8]
        /// `nil` if the answer is an error; empty if no access token is kept.
        let accessToken: String?
        let refreshToken: String
        /// The field that the error names.
        let problem: String?

        var testDescription: String { damage }
    }

    struct Unreadable: Error { let line: String }

    static func rows() throws -> [Row] {
        let page = URL(filePath: #filePath).appending(path: "../../../../Documentation/Design/Failures.md")
        let lines = try String(contentsOf: page.standardizedFileURL, encoding: .utf8).split(separator: "\n")
        let title = "| what is wrong | answer | access token kept | refresh token kept | error |"
        guard let head = lines.firstIndex(of: Substring(title)) else { throw Unreadable(line: "no table") }
        return try lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { try row(String($0)) }
    }

    private static func row(_ line: String) throws -> Row {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 5, let body = text(cells[1]), let refreshToken = text(cells[3]) else {
            throw Unreadable(line: line)
        }
        let isError = cells[4] != "none"
        return Row(
            damage: cells[0], body: bytes(of: body), accessToken: isError ? nil : text(cells[2]) ?? "",
            refreshToken: refreshToken, problem: isError ? text(cells[4]) : nil)
    }

    /// The text between back-ticks.
    private static func text(_ cell: String) -> String? {
        cell.hasPrefix("`") && cell.hasSuffix("`") && cell.count > 1 ? String(cell.dropFirst().dropLast()) : nil
    }

    /// `\xE4` stands for a byte, `DEEP` for 500 lists in each other, `…` for the tokens of a good answer.
    private static func bytes(of cell: String) -> [UInt8] {
        let text = cell.replacing("DEEP", with: String(repeating: "[", count: 500) + String(repeating: "]", count: 500))
            .replacing("…", with: #""access_token":"a","token_type":"Bearer","refresh_token":"r1""#)
        let parts = text.split(separator: #"\x"#, omittingEmptySubsequences: false).map(String.init)
        return parts.dropFirst().reduce(Array(parts[0].utf8)) { bytes, part in
            bytes + [UInt8(part.prefix(2), radix: 16) ?? 0] + part.dropFirst(2).utf8
        }
    }
}
