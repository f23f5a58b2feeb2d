// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import SpotifyDemo
import Testing

@Suite struct `spotify demo` {
    @Test func `prints one JSON object and nothing else`() async throws {
        let result = try await Running.run(["demo", "--requests", "60", "--token-lifetime", "1", "--json"])
        #expect(result.status == 0)
        #expect(result.errors == "", "no progress bar without a terminal")
        #expect(result.output.hasSuffix("}\n"))
        #expect(result.output.count { $0 == "\n" } == 1)
        let report = try JSONDecoder().decode(DemoReport.self, from: Data(result.output.utf8))
        #expect(report.requests == 60)
        #expect(report.succeeded == 60)
        #expect(report.problems(faultsWereAsked: false) == [])
    }

    @Test func `says before what happens, and after what it means`() async throws {
        let result = try await Running.run(["demo", "--requests", "60", "--token-lifetime", "1"])
        #expect(result.status == 0 && result.errors == "")
        let blocks = result.output.split(separator: "\n\n")
        #expect(blocks.count == 4)
        #expect(blocks.first.map(String.init) == DemoOptions(requests: 60, tokenLifetime: 1).announcement)
        let course = try #require(blocks.dropFirst().first).split(separator: "\n")
        #expect(course.count == 12 && course.allSatisfy { $0.contains(" s  ====") && $0.contains(" 5 calls") })
        #expect(course.filter { $0.contains(", 5 met a 401 after a revocation, ") }.count == 1, "\(course)")
        let meaning = try #require(blocks.last)
        #expect(meaning.contains(" met a 401. "), "\(meaning)")
        #expect(meaning.hasSuffix(" refreshes served all calls, and no caller saw an error.\n"), "\(meaning)")
    }

    @Test(arguments: ["0", "\(Int.max)"])
    func `refuses numbers of calls that it cannot make`(number: String) async throws {
        let result = try await Running.run(["demo", "--requests", number])
        #expect(result.status == 64 && result.errors.contains("--requests must be between 1 and 1000000000."))
    }

    @Test func `ends with 1 and a reason if fewer than three tokens were replaced`() async throws {
        // With this lifetime a token is replaced only because it is revoked.
        let result = try await Running.run(["demo", "--requests", "1", "--token-lifetime", "3600", "--json"])
        #expect(result.status == 1)
        #expect(result.errors == "error: only 1 tokens were replaced\n")
        #expect(try JSONDecoder().decode(DemoReport.self, from: Data(result.output.utf8)).expiries == 1)
    }
}
