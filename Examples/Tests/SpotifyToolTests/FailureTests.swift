// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationSpotify
import Testing

@testable import SpotifyTool
@testable import SpotifyWebAPI

@Suite struct `What went wrong` {
    private func failure(_ error: any Error) throws -> ToolFailure {
        ToolFailure(error, of: try ToolSettings(local: true, account: "work", environment: [:]))
    }

    @Test(
        arguments: [
            (SpotifyError(status: 400, body: Data()), SpotifyTool.ExitStatus.refused),
            (SpotifyError(status: 401, body: Data()), .notSignedIn),
            (SpotifyError(status: 404, body: Data()), .refused),
            (SpotifyError(status: 429, body: Data()), .tryLater),
            (SpotifyError(status: 500, body: Data()), .unavailable),
            (UnreadableAnswer(member: "items"), .unusableAnswer),
            (MissingScopes(scopes: ["a"], isAlternative: false), .notSignedIn),
            (NotAuthorized(.noToken), .notSignedIn),
            (NotAuthorized(.rejected), .notSignedIn),
            (NotAuthorized(.insecureTransport), .refused),
            (URLError(.cannotConnectToHost), .unavailable),
            (TokenTransportError(.timedOut, delivery: .notSent), .unavailable),
            (NotSettled(isRefreshing: true, isUnstored: false), .unavailable),
            (NotSettled(isRefreshing: false, isUnstored: true), .store),
            (CocoaError(.fileNoSuchFile), .refused),
        ] as [(any Error, SpotifyTool.ExitStatus)])
    func `has the exit code that says what to do`(error: any Error, status: SpotifyTool.ExitStatus) throws {
        let failure = try failure(error)
        #expect(failure.status == status)
        #expect(failure.message != "")
        let advice = failure.advice ?? ""
        #expect((status == .notSignedIn) == advice.contains("spotify login --local --account work"), "\(failure)")
        #expect((status == .unavailable && !(error is SpotifyError)) == advice.contains("spotify serve"), "\(failure)")
    }

    @Test(arguments: ["invalid_client", "unauthorized_client", "invalid_scope"])
    func `with the client is said, and nobody is signed out`(code: String) throws {
        let refusal = TokenEndpointError(status: 401, code: code)
        for error in [refusal, NotAuthorized(.clientRefused, underlying: refusal)] as [any Error] {
            let failure = try failure(error)
            #expect(failure.status == .configuration)
            #expect(failure.message.contains("(\(code))"))
            #expect(failure.advice?.contains("CLIENT_ID") == true)
        }
    }

    @Test func `is said without the words of an error that nobody knows`() throws {
        struct Chatty: Error, CustomStringConvertible { var description: String { "the secret is 7" } }
        #expect(try failure(Chatty()).message == "unexpected error of the type Chatty")
        let url = try #require(URL(string: "https://example.com/?code=secret"))
        let error = URLError(.badServerResponse, userInfo: [NSURLErrorFailingURLErrorKey: url])
        #expect(try failure(error).message.hasSuffix("cannot be reached: URLSession's error -1011"))
    }

    @Test func `at the token endpoint is passing, or ends the sign-in`() async throws {
        try await Person.with { person in
            await person.spotify.inject(.status(503), on: .tokenEndpoint)
            let busy = try await person.login("--no-browser").result
            #expect(busy.status == 75, "\(busy.errors)")
            #expect(try await person.run("status").status == 77)
        }
    }

    @Test func `with the place for the token is said`() async throws {
        try await Person.with { person in
            let result = try await person.run("status", environment: ["XDG_STATE_HOME": "/dev/null"])
            #expect(result.status == 74)
            #expect(result.output == "" && result.errors.hasPrefix("error: token store"))
        }
    }
}
