// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import ArgumentParser
public import LocalSpotify
import SpotifyDemo

/// `spotify demo`: makes many calls to an embedded Spotify while tokens expire.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Calls an embedded Spotify while its tokens expire and are revoked.",
        discussion: """
            No account and no network are needed. The calls are spread over six token lifetimes; in the middle all access \
            tokens are revoked. The exit code is 1 if a call or the session was lost, a token was requested twice, fewer \
            than 3 tokens were replaced or, without --faults, a call failed.
            """)

    @Option(help: ArgumentHelp("The number of calls.", valueName: "n"))
    var requests = 1000

    @Option(help: ArgumentHelp("The lifetime of access tokens.", valueName: "seconds"))
    var tokenLifetime = 2

    @Option(help: "Whether each refresh brings a new refresh token and spends the old one.")
    var rotation = TokenPolicy.Rotation.on

    @Flag(help: "Let calls and refreshes be slow, hang, fail, be dropped and lose their answers.")
    var faults = false

    @Flag(help: "Print one JSON object and nothing else.")
    var json = false

    func validate() throws {
        guard (1...1_000_000_000).contains(requests) else {
            throw ValidationError("--requests must be between 1 and 1000000000.")
        }
        guard (1...3600).contains(tokenLifetime) else {
            throw ValidationError("--token-lifetime must be between 1 and 3600 seconds.")
        }
    }

    func run() async throws {
        let options = DemoOptions(requests: requests, tokenLifetime: tokenLifetime, rotation: rotation, faults: faults)
        if !json { print(options.announcement + "\n") }
        let bar = ProgressBar(total: requests)
        let report = try await Demo(options) { bar.show($0) }.run()
        bar.clear()
        print(json ? try report.json : "\(report.timeline)\n\n\(report.table)\n\n\(report.summary)")
        let problems = report.problems(faultsWereAsked: faults)
        for problem in problems { StandardError.write("error: \(problem)\n") }
        if !problems.isEmpty { throw ExitCode(1) }
    }
}

extension TokenPolicy.Rotation: @retroactive ExpressibleByArgument {}
