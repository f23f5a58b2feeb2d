// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `The proxy over a socket` {
    @Test func `exchanges and refreshes for an app that has no secret`() async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let visitor = Visitor(url)
            let address = try #require(URL(string: url.absoluteString + SignIn.path(["client_id": "local-web"])))
            let callback = try await spotify.callback(for: address)
            let code = try #require(Parameters.code(in: callback))
            let redirect = "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback"

            let first = try await visitor.submit(
                "code=\(code)&code_verifier=\(SignIn.verifier)" + redirect, to: "/proxy/token")

            #expect(first.status == 200)
            let token = try #require(first.text.firstMatch(of: #/"refresh_token":"([^"]+)"/#)).output.1
            #expect(try await visitor.submit("refresh_token=\(token)", to: "/proxy/refresh").status == 200)
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .refreshed])
            #expect(await spotify.tokenCalls.map(\.grant) == ["authorization_code", "refresh_token"])
        }
    }

    @Test func `offers client credentials, and answers POST only`() async throws {
        try await LocalSpotify().serve { url in
            var visitor = Visitor(url)
            let page = try await visitor.submit("grant_type=client_credentials", to: "/proxy/token")
            #expect(page.status == 200)
            #expect(try await visitor.open("/proxy/refresh").status == 405)
            #expect(
                try await visitor.submit("refresh_token=made-up", to: "/proxy/refresh").text.contains("invalid_grant"))
        }
    }
}

private enum Parameters {
    static func code(in url: URL) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "code" }?.value
    }
}
