// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalScenarios
import LocalSpotify
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs the programs for newcomers as processes, and checks their output.
@Suite(.timeLimit(.minutes(5))) struct FirstProgramsTests {
    @Test func `first-app logs in, refreshes after a 401, and signs out`() async throws {
        let result = try await Running("first-app", environment: [:]).result()
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        let widgets: Substring = #"widgets: ["a widget","another one"]"#
        #expect(
            lines.filter { !$0.hasPrefix("session: token") } == [
                widgets, widgets,
                "The next call gets a 401: the token is refreshed, and the call is sent again.", widgets,
                "token calls: 2",  // the log-in, and the refresh after the 401
            ])
        // Handlers run beside the program, which may end before the last event is handled.
        #expect(lines.contains("session: tokenUpdated([redacted])"))
    }

    #if Clients
    @Test func `first-server fetches one token for ten calls at a time`() async throws {
        let result = try await Running("first-server", environment: [:]).result()
        #expect(result.status == 0, "\(result.errors)")
        let searches = Array(repeating: Substring("search: 200 OK"), count: 10)
        #expect(result.output.split(separator: "\n") == searches + ["token calls: 1"])
    }
    #endif

    @Test func `first-tool signs in through the browser once`() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "first-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: home) }
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let environment = ["XDG_STATE_HOME": home.path(), "SPOTIFY_LOCAL": url.absoluteString]
            let first = try Running("first-tool", environment: environment)
            let page = try await first.word(beginning: "http://", ofErrors: true)
            let callback = try await spotify.callback(for: try #require(URL(string: page)), decision: .allow)
            _ = try await URLSession.shared.data(from: callback)
            let result = try await first.result()
            #expect(result.status == 0 && result.output.contains("Local Listener"), "\(result.errors)")

            let second = try await Running("first-tool", environment: environment).result()
            #expect(second.status == 0 && second.output.contains("Local Listener"), "\(second.errors)")
            #expect(!second.errors.contains("Open "))

            await spotify.inject(.status(404), on: .webAPI)
            let third = try await Running("first-tool", environment: environment).result()
            #expect(third.status != 0 && third.output.isEmpty, "\(third.output)")
        }
        #expect(await spotify.tokenCalls.count == 1)
        #expect(try await Running("first-tool", environment: ["SPOTIFY_LOCAL": ""]).result().status == 64)
    }

    #if Web && Clients
    @Test func `first-site logs in through the browser, keeps one session over a restart, and logs out`() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "first-site-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: home) }
        let spotify = try LocalSpotify()
        // The system gives this port to no other server, also between the two starts.
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let port = held.number
        let browser = URLSession(configuration: .ephemeral)
        let page = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        try await spotify.serve { url in
            let environment = [
                "XDG_STATE_HOME": home.path(), "SPOTIFY_LOCAL": url.absoluteString, "PORT": "\(port)",
            ]
            for start in 1...2 {
                let site = try Running("first-site", environment: environment)
                _ = try await site.word(beginning: "127.0.0.1:", ofErrors: true)
                if start == 1 {
                    let (_, refused) = try await browser.data(from: page)
                    let denial = try await spotify.callback(for: try #require(refused.url), decision: .deny)
                    let (no, forbidden) = try await browser.data(from: denial)
                    #expect((forbidden as? HTTPURLResponse)?.statusCode == 403)
                    #expect(String(decoding: no, as: UTF8.self) == "You did not allow it.")
                    let (_, consent) = try await browser.data(from: page)
                    let callback = try await spotify.callback(for: try #require(consent.url), decision: .allow)
                    let (_, foreign) = try await URLSession(configuration: .ephemeral).data(from: callback)
                    #expect((foreign as? HTTPURLResponse)?.statusCode == 400, "another browser finishes the log-in")
                    let link = try #require(URL(string: "\(page)callback?code=x&state=of-another-tab"))
                    let (_, forged) = try await browser.data(from: link)
                    #expect((forged as? HTTPURLResponse)?.statusCode == 400)
                    _ = try await browser.data(from: callback)
                    let user = try #require(cookie(of: browser))
                    let files = names(of: home)
                    #expect(files.contains { $0.hasPrefix("first-site,") })
                    #expect(!files.contains { $0.contains(user) }, "a log may name the file, and show the cookie")
                }
                let (profile, response) = try await browser.data(from: page)
                let answer = try #require(response as? HTTPURLResponse)
                #expect(answer.statusCode == 200)
                #expect(response.url == page, "it must log in again")
                #expect(answer.value(forHTTPHeaderField: "Content-Type") == "application/json")
                #expect(answer.value(forHTTPHeaderField: "Cache-Control") == "no-store", "a cache would keep it")
                #expect(String(decoding: profile, as: UTF8.self).contains("Local Listener"))
                await spotify.inject(.status(404), on: .webAPI)
                let (_, failed) = try await browser.data(from: page)
                #expect((failed as? HTTPURLResponse)?.statusCode == 502)
                if start == 2 {
                    await spotify.inject(.dropped, on: .webAPI)
                    let (sorry, cut) = try await browser.data(from: page)
                    #expect((cut as? HTTPURLResponse)?.statusCode == 502)
                    let text = "Spotify cannot be reached. You are still logged in."
                    #expect(String(decoding: sorry, as: UTF8.self) == text)
                    await spotify.inject(.status(503), on: .tokenEndpoint)
                    let (excuse, unfinished) = try await browser.data(from: page.appending(path: "login"))
                    #expect((unfinished as? HTTPURLResponse)?.statusCode == 502)
                    #expect(String(decoding: excuse, as: UTF8.self) == "The log-in failed. Try again.")
                    // Spotify does not ask again.
                    let (_, again) = try await browser.data(from: page.appending(path: "login"))
                    #expect(again.url == page)
                    #expect(try sessions(in: home) == 1, "the new session replaces the browser's last one")
                    var logOut = URLRequest(url: page.appending(path: "logout"))
                    logOut.httpMethod = "POST"
                    let (farewell, end) = try await browser.data(for: logOut)
                    #expect(end.url == logOut.url, "it must not log in again")
                    #expect(String(decoding: farewell, as: UTF8.self) == "You are logged out.")
                }
                site.terminate()
                let result = try await site.result()
                #expect(result.status == 0, "\(result.errors)")
            }
        }
        #expect(await spotify.tokenCalls.count == 3)
        #expect(try sessions(in: home) == 0)
    }

    /// The cookie with which a browser is logged in.
    private func cookie(of browser: URLSession) -> String? {
        browser.configuration.httpCookieStorage?.cookies?.first { $0.name == "user" }?.value
    }

    /// The number of stored sessions.
    private func sessions(in home: URL) throws -> Int {
        let files = FileManager.default.enumerator(at: home, includingPropertiesForKeys: [.isRegularFileKey])
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
            .filter { String(decoding: try Data(contentsOf: $0), as: UTF8.self).contains("accessToken") }.count
    }

    /// The decoded names of the stored files.
    private func names(of home: URL) -> [String] {
        let files = FileManager.default.enumerator(at: home, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).compactMap { ($0 as? URL)?.lastPathComponent.removingPercentEncoding }
    }
    #endif

    /// By registration, and with a client id metadata document.
    @Test(arguments: ["metadata-default", "basic-cimd"])
    func `first-agent introduces itself, signs in once, and lists the tools`(name: String) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "first-agent-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: home) }
        let scenario = try #require(Scenario.named(name))
        let verdict = try await scenario.run(at: .november2025) { run in
            let arguments = [run.url.absoluteString] + [run.context.clientMetadataURL].compactMap(\.self)
            let environment = ["XDG_STATE_HOME": home.path()]
            let first = try Running("first-agent", arguments, environment: environment)
            let page = try await first.word(beginning: "http://", ofErrors: true)
            _ = try await URLSession.shared.data(from: try #require(URL(string: page)))
            let result = try await first.result()
            #expect(result.status == 0 && result.output.contains("test-tool"), "\(result.errors)")

            let second = try await Running("first-agent", arguments, environment: environment).result()
            #expect(second.status == 0 && second.output.contains("test-tool"), "\(second.errors)")
            #expect(!second.errors.contains("Open "))
        }
        // It is a good client, and calls no tool.
        #expect(verdict.failures.map(\.check) == ["calls"], "\(verdict)")
        #expect(try await Running("first-agent", environment: [:]).result().status == 64)
    }
}
