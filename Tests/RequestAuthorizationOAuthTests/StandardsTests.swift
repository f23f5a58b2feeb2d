// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

/// `Documentation/Design/Standards.md` is true.
@Suite struct StandardsTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    /// The rows of the tables: a requirement of a standard, and the tests for it.
    private static func rows() throws -> [(line: Substring, proof: Substring)] {
        let page = root.appending(path: "Documentation/Design/Standards.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        return lines.compactMap { $0.wholeMatch(of: /\| (.+?) \| (.*) \|/) }.map { ($0.1, $0.2) }
            .filter { $0.0 != "line" }
    }

    @Test func `each line of a standard names an existing test, or says why there is none`() throws {
        let tests = try ["Tests", "Examples/Tests"].flatMap { folder in
            // What is built or fetched is in hidden folders, and may change meanwhile.
            let files = FileManager.default.enumerator(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
                .map { try String(contentsOf: $0, encoding: .utf8) }
        }.joined()
        let rows = try Self.rows()
        #expect(rows.count > 50)
        for row in rows {
            for part in row.proof.split(separator: "<br>") where !part.hasSuffix(".") {
                #expect(part.hasPrefix("`") && tests.contains("func \(part)("), "\(row.line)")
            }
            #expect(!row.proof.isEmpty, "\(row.line)")
        }
    }
}
