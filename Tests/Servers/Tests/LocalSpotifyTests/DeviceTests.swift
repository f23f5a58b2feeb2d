// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `The device flow over a socket` {
    private struct Start: Decodable {
        let deviceCode, userCode, verificationUri, verificationUriComplete: String
        let expiresIn, interval: Int
    }

    private func begin(
        clock: ManualClock = ManualClock(), _ body: (LocalSpotify, inout Visitor, Start) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(clock: clock)
        try await spotify.serve { url in
            var visitor = Visitor(url)
            let page = try await visitor.submit("client_id=local-client&scope=user-read-email", to: "/api/device")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            try await body(spotify, &visitor, try decoder.decode(Start.self, from: Data(page.text.utf8)))
        }
    }

    private func poll(_ visitor: Visitor, _ start: Start, client: String = "local-client") async throws -> Visitor.Page
    {
        let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
        let form = "grant_type=\(grant)&device_code=\(start.deviceCode)&client_id=\(client)"
        return try await visitor.submit(form, to: "/api/token")
    }

    @Test func `begins with a code that users can type`() async throws {
        try await begin { _, visitor, start in
            #expect(start.userCode.wholeMatch(of: #/[BCDFGHJ-NP-TV-XZ]{4}-[BCDFGHJ-NP-TV-XZ]{4}/#) != nil)
            #expect(start.verificationUri == visitor.url.absoluteString + "/device")
            #expect(start.verificationUriComplete == start.verificationUri + "?user_code=" + start.userCode)
            #expect(start.expiresIn == 600)
            #expect(start.interval == 5)
        }
    }

    @Test func `ends with a token once the user has agreed`() async throws {
        let clock = ManualClock()
        try await begin(clock: clock) { _, visitor, start in
            #expect(try await poll(visitor, start).text.contains("authorization_pending"))
            let typed = start.userCode.lowercased().replacing("-", with: "+")
            let page = try await visitor.open("/device?user_code=\(typed)")
            #expect(page.text.contains(#"<p id="code" class="code">\#(start.userCode)</p>"#))
            #expect(page.text.contains("Local Client wants to use your account on a device"))
            let end = try await visitor.press("allow", on: page, at: "/device")
            #expect(end.text.contains("You can close this window."))
            clock.advance(by: .seconds(5))

            let tokens = try await poll(visitor, start)
            #expect(tokens.status == 200)
            #expect(tokens.text.contains(#""scope":"user-read-email""#))
            clock.advance(by: .seconds(5))
            #expect(try await poll(visitor, start).text.contains("invalid_grant"), "a device code is good once")
            #expect(try await visitor.press("allow", on: page, at: "/device").status == 400)
        }
    }

    @Test func `ends with an error once the user has refused`() async throws {
        try await begin { _, visitor, start in
            let page = try await visitor.open("/device?user_code=\(start.userCode)")
            _ = try await visitor.press("deny", on: page, at: "/device")
            #expect(try await poll(visitor, start).text.contains("access_denied"))
        }
    }

    @Test func `lengthens the interval of a device that polls too soon`() async throws {
        let clock = ManualClock()
        try await begin(clock: clock) { spotify, visitor, start in
            var errors: [Bool] = []
            for seconds in [0, 4, 9, 14, 20] {
                clock.advance(by: .seconds(seconds))
                errors.append(try await poll(visitor, start).text.contains("slow_down"))
            }
            #expect(errors == [false, true, true, true, false], "the interval is 5 s at first, then 10, 15 and 20 s")
        }
    }

    @Test func `ends when the device code expires`() async throws {
        let clock = ManualClock()
        try await begin(clock: clock) { spotify, visitor, start in
            clock.advance(by: .seconds(600))
            let late = try await poll(visitor, start)
            #expect(late.text.contains("expired_token"))
            #expect(try await visitor.open("/device?user_code=\(start.userCode)").status == 400)
            await #expect(throws: LocalSpotify.Unanswerable.self) {
                try await spotify.answer(deviceWith: start.userCode)
            }
        }
    }

    @Test func `accepts polls only of the client that began it`() async throws {
        try await begin { spotify, visitor, start in
            try await spotify.answer(deviceWith: start.userCode)
            let web = "local-web&client_secret=local-secret"
            #expect(try await poll(visitor, start, client: web).text.contains("invalid_grant"))
            #expect(try await poll(visitor, start).status == 200)
        }
    }

    @Test func `limits the number of wrong codes`() async throws {
        try await begin { _, visitor, start in
            for _ in 0..<10 {
                let page = try await visitor.open("/device?user_code=BBBB-BBBB")
                #expect(page.status == 400)
            }
            let page = try await visitor.open("/device?user_code=\(start.userCode)")
            #expect(page.status == 429)
        }
    }

    @Test func `asks for the code on its own page`() async throws {
        try await begin { _, visitor, start in
            let page = try await visitor.open("/device")
            #expect(page.status == 200)
            #expect(page.text.contains(#"<input type="text" id="user_code" name="user_code""#))
            #expect(page.field("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
            #expect(
                try await visitor.submit("user_code=\(start.userCode)", to: "/device").text.contains(start.userCode))
            let odd = try await visitor.open("/device?user_code=%3Cscript%3E")
            #expect(!odd.text.contains("<script"))
        }
    }
}
