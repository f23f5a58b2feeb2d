// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `The log of token calls` {
    @Test func `holds one JSON line for each call, in order, and no secret`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "token-calls-\(UUID()).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on), logFile: file, clock: clock)
        let secrets = try await spotify.serve { url in
            let client = Client(url)
            let first = try await client.signIn(at: spotify)
            clock.advance(by: .milliseconds(1500))
            let second = try await client.refresh(first.refreshToken).decode(Client.Tokens.self)
            await spotify.inject(.status(500), on: .tokenEndpoint)
            _ = try await client.refresh(second.refreshToken)
            _ = try await client.refresh(first.refreshToken)
            _ = try await client.token("grant_type=s3cret&refresh_token=s3cret")
            return [first, second].flatMap { [$0.accessToken, $0.refreshToken ?? ""] } + ["s3cret"]
        }

        let text = try String(contentsOf: file, encoding: .utf8)
        let end = #""isDuplicate":false,"isRetryAfterLostAnswer":false"#
        #expect(
            text.split(separator: "\n").prefix(2) == [
                #"{"answerLost":false,"family":0,"grant":"authorization_code",\#(end),"#
                    + #""issued":0,"outcome":"signedIn","time":"2027-01-15T08:00:00.000Z"}"#,
                #"{"answerLost":false,"family":0,"grant":"refresh_token",\#(end),"#
                    + #""issued":1,"outcome":"refreshed","presented":0,"time":"2027-01-15T08:00:01.500Z"}"#,
            ])
        #expect(text.hasSuffix("\n"))
        for secret in secrets { #expect(!text.contains(secret)) }

        let calls = try text.split(separator: "\n").map(TokenCall.init(jsonLine:))
        #expect(calls == (await spotify.tokenCalls))
        #expect(calls.map(\.outcome) == [.signedIn, .refreshed, .fault, .reuseDetected, .badRequest])
        #expect(calls.map(\.isDuplicate) == [false, false, false, true, false])
        #expect(calls.map(\.grant).last == "other")
    }

    @Test func `appends to an existing file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "token-calls-\(UUID()).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        for _ in 0..<2 {
            let spotify = try LocalSpotify(logFile: file)
            try await spotify.serve { url in _ = try await Client(url).signIn(at: spotify) }
        }
        #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count == 2)
    }

    @Test func `prevents the server if it cannot be written`() {
        #expect(throws: (any Error).self) { try LocalSpotify(logFile: URL(filePath: "/nowhere/at/all.jsonl")) }
    }
}
