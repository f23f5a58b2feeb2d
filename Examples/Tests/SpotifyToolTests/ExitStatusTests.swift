// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import SpotifyTool
import Testing

@Suite struct `Exit codes` {
    @Test func `are the same in the program, its help and the guide`() async throws {
        let help = try await Running.run(["--help"]).output
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../CommandLine.md").standardized
        let guide = try String(contentsOf: page, encoding: .utf8)
        for status in ExitStatus.allCases {
            let meaning = status.meaning.replacing(/CLIENT_ID|CLIENT_SECRET|SPOTIFY_LOCAL/) { "`\($0.output)`" }
            #expect(guide.contains("| \(status.code) | \(meaning) |"))
            #expect(help.contains("\n  \(status.code) "), "\(help)")
        }
        #expect(Set(ExitStatus.allCases.map(\.code)).count == ExitStatus.allCases.count)
    }
}
