// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@Suite struct WeatherClientTests {
    // sample: tests
    @Test func `a refused token is refreshed, and the forecast comes`() async throws {
        let server = ScriptedTransport<WeatherRequest, WeatherResponse>(
            .success(WeatherResponse(statusCode: 401)),
            .success(WeatherResponse(statusCode: 200, body: Array("sun".utf8))))
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))
        let weather = WeatherClient(authorizedBy: auth, transport: OtherTransport { try await server.send($0) })

        #expect(try await weather.forecast(for: "Oslo") == "sun")
        #expect(server.requests.map { $0.credential(in: "Authorization") } == ["Bearer a", "Bearer b"])
    }

    @Test func `the end of a session reaches the app unchanged`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a")))
        await auth.reset()
        let weather = WeatherClient(
            authorizedBy: auth, transport: OtherTransport { _ in WeatherResponse(statusCode: 200) })
        let error = await #expect(throws: NotAuthorized.self) { try await weather.forecast(for: "Oslo") }
        #expect(error?.needsSignIn == true)
    }

    @Test func `it is a request`() async throws {
        try await AuthorizableRequestChecks(
            method: "GET", target: "https://weather.widgets.example/v1/forecast/Oslo", body: []
        ) {
            WeatherRequest(path: "/v1/forecast/Oslo")
        }.run()
    }
    // end sample

    @Test func `a refusal names the service's challenge, and shows no credential`() async throws {
        let refusal = WeatherResponse(
            statusCode: 401, fields: [("www-authenticate", #"Bearer error="invalid_token""#)],
            body: Array("Bearer ABC".utf8))
        let weather = WeatherClient(authorizedBy: .bearer("ABC"), transport: OtherTransport { _ in refusal })
        let error = await #expect(throws: WeatherError.self) { try await weather.forecast(for: "Oslo") }
        #expect(error?.challenges.map(\.error) == ["invalid_token"])
        #expect(error.map { "\($0)" } == "the weather service answered 401")
    }

    @Test func `its credential goes to no other origin`() async throws {
        let weather = WeatherClient(
            authorizedBy: .bearer("ABC"), transport: OtherTransport { _ in WeatherResponse(statusCode: 200) })
        await #expect(throws: NotAuthorized.self) {
            try await weather.authorization.authorize(TestRequest("https://elsewhere.example/"))
        }
    }

    @Test func `the same client over URLSession`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("stale"), .token("fresh")))
        let weather = WeatherClient(authorizedBy: auth, transport: URLSessionTransport(session: StubServer.session))
        #expect(try await weather.forecast(for: "Oslo") == "Bearer fresh")
    }

    @Test func `over URLSession a refusal has its challenge`() async throws {
        let (key, session) = ("stale", StubServer.session)
        // sample: use
        let weather = WeatherClient(authorizedBy: .bearer(key), transport: URLSessionTransport(session: session))
        // end sample
        let error = await #expect(throws: WeatherError.self) { try await weather.forecast(for: "Oslo") }
        #expect(error?.challenges.map(\.error) == ["invalid_token"])
    }
}
