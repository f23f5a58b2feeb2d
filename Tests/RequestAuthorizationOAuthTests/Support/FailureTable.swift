// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

/// The table of answers in `Documentation/Design/Failures.md`, which the tests compare with the code.
enum FailureTable {
    struct Row: CustomTestStringConvertible, Codable, Sendable {
        let status: Int
        let body: String
        let code: String?
        let kind: TokenFailureKind

        var testDescription: String { "\(status) \(body.isEmpty ? "empty" : body)" }
    }

    struct Unreadable: Error { let line: String }

    /// Every combination that the table names.
    static func rows() throws -> [Row] {
        let page = URL(filePath: #filePath).appending(path: "../../../../Documentation/Design/Failures.md")
        let lines = try String(contentsOf: page.standardizedFileURL, encoding: .utf8).split(separator: "\n")
        guard let head = lines.firstIndex(of: "| status | body | code | kind |") else {
            throw Unreadable(line: "no table")
        }
        return try lines[(head + 2)...].prefix { $0.hasPrefix("|") }.flatMap { try rows(of: String($0)) }
    }

    private static func rows(of line: String) throws -> [Row] {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 4, let kind = TokenFailureKind(rawValue: cells[3]) else { throw Unreadable(line: line) }
        let codes: [String?] = cells[2] == "none" ? [nil] : texts(cells[2])
        let bodies = cells[1] == "empty" ? [""] : texts(cells[1])
        return try cells[0].split(separator: ", ").flatMap { text in
            guard let status = Int(text) else { throw Unreadable(line: line) }
            return bodies.flatMap { body in
                codes.map { code in
                    Row(status: status, body: body.replacing("CODE", with: code ?? ""), code: code, kind: kind)
                }
            }
        }
    }

    /// The texts between back-ticks.
    private static func texts(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
