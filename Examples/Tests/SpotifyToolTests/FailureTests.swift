// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import Testing

@testable import SpotifyTool
@testable import SpotifyWebAPI

@Suite struct `A failure` {
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
    func `has an exit code and advice`(error: any Error, status: SpotifyTool.ExitStatus) throws {
        let failure = try failure(error)
        #expect(failure.status == status)
        #expect(failure.message != "")
        let advice = failure.advice ?? ""
        #expect((status == .notSignedIn) == advice.contains("spotify login --local --account work"), "\(failure)")
        #expect((status == .unavailable && !(error is SpotifyError)) == advice.contains("spotify serve"), "\(failure)")
    }

    @Test(arguments: ["invalid_client", "unauthorized_client", "invalid_scope"])
    func `of the client is reported, and the user stays signed in`(code: String) throws {
        let refusal = TokenEndpointError(status: 401, code: code)
        for error in [refusal, NotAuthorized(.clientRefused, underlying: refusal)] as [any Error] {
            let failure = try failure(error)
            #expect(failure.status == .configuration)
            #expect(failure.message.contains("(\(code))"))
            #expect(failure.advice?.contains("CLIENT_ID") == true)
        }
    }

    @Test func `does not quote an error of an unknown type`() throws {
        struct Chatty: Error, CustomStringConvertible { var description: String { "the secret is 7" } }
        #expect(try failure(Chatty()).message == "unexpected error of the type Chatty")
        let url = try #require(URL(string: "https://example.com/?code=secret"))
        let error = URLError(.badServerResponse, userInfo: [NSURLErrorFailingURLErrorKey: url])
        #expect(try failure(error).message.hasSuffix("cannot be reached: URLSession's error -1011"))
    }

    @Test func `of the token endpoint is temporary, or ends the sign-in`() async throws {
        try await Person.with { person in
            await person.spotify.inject(.status(503), on: .tokenEndpoint)
            let busy = try await person.login("--no-browser").result
            #expect(busy.status == 75, "\(busy.errors)")
            #expect(try await person.run("status").status == 77)
        }
    }

    @Test func `of a refresh that takes too long is temporary`() async throws {
        struct SilentService: RefreshableTokenService {
            func refresh(_ token: OAuthToken) async throws -> OAuthToken {
                try await ContinuousClock().sleep(for: .seconds(3600))
                return token
            }
        }
        let clock = ManualClock()
        let token = OAuthToken(accessToken: "access", refreshToken: "refresh", expiresAt: clock.now)
        let auth = RefreshableTokenAuthorization(service: SilentService(), token: token, clock: clock)
        async let answer = auth.validToken()
        await clock.sleeper(for: RefreshPolicy.default.deadline)
        clock.advance(by: RefreshPolicy.default.deadline)
        do {
            _ = try await answer
            Issue.record("the service never answers")
        } catch {
            let failure = try failure(error)
            #expect(failure.status == .tryLater)
            #expect(failure.message.contains("try again later"))
        }
    }

    @Test func `of the token store is reported`() async throws {
        try await Person.with { person in
            let result = try await person.run("status", environment: ["XDG_STATE_HOME": "/dev/null"])
            #expect(result.status == 74)
            #expect(result.output == "" && result.errors.hasPrefix("error: token store"))
        }
    }
}
