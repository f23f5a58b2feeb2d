// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import SpotifyDemo
import Testing

@Suite struct `The demo, end to end` {
    @Test(arguments: TokenPolicy.Rotation.allCases)
    func `loses nothing and asks for nothing twice`(rotation: TokenPolicy.Rotation) async throws {
        let report = try await Demo(DemoOptions(requests: 60, tokenLifetime: 1, rotation: rotation)).run()

        #expect(report.problems(faultsWereAsked: false) == [])
        #expect(report.requests == 60)
        #expect(report.succeeded == 60)
        #expect(report.tokenCalls == report.expiries)
        #expect(report.unauthorized >= 5, "a wave of five found the tokens revoked")
        #expect(report.revocations == 1)
    }

    @Test func `loses nothing and asks for nothing twice while things go wrong`() async throws {
        let report = try await Demo(DemoOptions(requests: 120, tokenLifetime: 1, faults: true)).run()

        #expect(report.problems(faultsWereAsked: true) == [])
        #expect(report.failed > 0)
        #expect(report.failures["Spotify answered 500"] == 3)
        #expect(report.failures["Spotify answered 429"] == 3)
        #expect(report.retriesAfterLostAnswer == 1)
    }

    @Test func `prints one JSON object and nothing else`() async throws {
        let (status, output, errors) = try await run("demo", "--requests", "60", "--token-lifetime", "1", "--json")

        #expect(status == 0)
        #expect(errors == "", "no progress bar where there is no terminal")
        #expect(output.hasSuffix("}\n"))
        #expect(output.count { $0 == "\n" } == 1)
        let report = try JSONDecoder().decode(DemoReport.self, from: Data(output.utf8))
        #expect(report.requests == 60)
        #expect(report.succeeded == 60)
        #expect(report.problems(faultsWereAsked: false) == [])
    }

    @Test func `ends with 1 and says why if fewer than three tokens were replaced`() async throws {
        let (status, output, errors) = try await run("demo", "--requests", "1", "--json")
        #expect(status == 1)
        #expect(errors == "error: only 1 tokens were replaced\n")
        #expect(try JSONDecoder().decode(DemoReport.self, from: Data(output.utf8)).expiries == 1)
    }

    /// Runs the `spotify` that was built beside the tests.
    private func run(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = Self.products.appending(path: "spotify")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        func text(_ pipe: Pipe) throws -> String {
            String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        return (status, try text(output), try text(errors))
    }

    private static var products: URL {
        #if os(macOS)
        Bundle(for: Anchor.self).bundleURL.deletingLastPathComponent()
        #else
        Bundle.main.bundleURL
        #endif
    }

    private final class Anchor {}
}
