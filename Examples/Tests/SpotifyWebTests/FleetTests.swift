// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet && canImport(Glibc)
import Foundation
import LocalSpotify
import RequestAuthorizationPostgreSQL
import Testing

@testable import SpotifyWeb

/// Two replicas with one database, behind nginx.
@Suite(.enabled(if: RunningFleet.isThere, RunningFleet.how), .timeLimit(.minutes(5)), .serialized) struct FleetTests {
    @Test func `a session begins on one replica, is finished on the other, used on both, and ended on either`()
        async throws
    {
        try await RunningFleet.run { fleet in
            for _ in 0..<2 {
                var browser = try await fleet.loggedIn()
                var names: Set<String?> = []
                for _ in 0..<2 {
                    let answer = try await browser.get("/me")
                    #expect(answer.status == 200 && answer.body.contains("id=\"user\""))
                    names.insert(answer.replica)
                }
                #expect(names.count == 2)
                let copy = browser
                let form = try await browser.get("/now")
                let end = try await browser.post("/logout", "csrf=\(form.formToken)")
                #expect(end.location == "/?notice=logged-out" && end.replica != form.replica)
                var thief = copy
                for _ in 0..<2 {
                    thief.id = copy.id
                    #expect(try await thief.get("/me").location == "/?notice=session-ended&return_to=%2Fme")
                }
                // The next round then ends on the other replica.
                _ = try await browser.get("/")
            }
        }
    }

    @Test(arguments: [
        (Duration.seconds(Int64.max), "6307200000.0"), (.seconds(1.5), "1.5"), (.seconds(Int64.min), "0.0"),
    ]) func `an absurd limit of the sessions is one that the database can count`(limit: Duration, seconds: String) {
        #expect(SharedSessions.seconds(limit) == seconds)
    }

    @Test func `when a replica dies its sessions continue on the other one`() async throws {
        try await RunningFleet.run { fleet in
            var browser = try await fleet.loggedIn()
            fleet.replicas[0].kill()
            for _ in 0..<4 {
                let answer = try await browser.get("/me")
                #expect(answer.status == 200 && answer.replica?.hasSuffix(fleet.replicas[1].name) == true)
            }
            #expect(try await browser.post("/logout", "csrf=\(browser.get("/me").formToken)").status == 303)
        }
    }

    @Test func `a callback works once, on any replica`() async throws {
        try await RunningFleet.run { fleet in
            var browser = fleet.browser
            let page = try await browser.beginLogIn()
            let callback = try await fleet.spotify.callback(for: page)
            let first = browser
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        var tab = first
                        return try await tab.open(callback).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [303, 400, 400, 400])
            var foreign = fleet.browser
            let other = try await foreign.beginLogIn()
            #expect(try await browser.open(try await fleet.spotify.callback(for: other)).status == 400)
        }
    }

    @Test func `each log-in of a browser has ten minutes, by the clock of the database`() async throws {
        try await RunningFleet.run { fleet in
            var browser = fleet.browser
            let age = "UPDATE spotify_web_browsers SET created_at = created_at - interval '5 minutes'"
            _ = try await browser.beginLogIn()
            _ = try await fleet.database.query(age, parameters: [])
            let page = try await browser.beginLogIn()
            _ = try await fleet.database.query(age, parameters: [])
            #expect(try await browser.open(try await fleet.spotify.callback(for: page)).location == "/me")
        }
    }

    @Test func `a session that ends by its age, or makes room for another, leaves no token`() async throws {
        try await RunningFleet.run { fleet in
            func tokens() async throws -> String? {
                let count = "SELECT count(*)::text FROM request_authorization_tokens"
                return try await fleet.database.query(count, parameters: []).first?.first ?? nil
            }
            _ = try await fleet.loggedIn()
            #expect(try await tokens() == "1")
            let age = "UPDATE spotify_web_browsers SET created_at = created_at - interval '13 hours'"
            _ = try await fleet.database.query(age, parameters: [])
            var visitor = fleet.browser
            _ = try await visitor.beginLogIn()
            #expect(try await tokens() == "0")

            _ = try await fleet.loggedIn()
            // As many sessions as there may be, all used later than this one.
            let fill = """
                INSERT INTO spotify_web_browsers (id, session)
                SELECT decode(md5(number::text), 'hex'), 'sealed'::bytea FROM generate_series(1, 10000) AS number
                """
            _ = try await fleet.database.query(fill, parameters: [])
            _ = try await fleet.loggedIn()
            #expect(try await tokens() == "1", "that of the new session")
        }
    }

    @Test func `a session whose tokens cannot be removed keeps its row for the next log-in`() async throws {
        try await RunningFleet.run { fleet in
            let sessions = "SELECT count(*)::text FROM spotify_web_browsers WHERE session IS NOT NULL"
            _ = try await fleet.loggedIn()
            let age = "UPDATE spotify_web_browsers SET created_at = created_at - interval '13 hours'"
            _ = try await fleet.database.query(age, parameters: [])
            try await fleet.refuse("DELETE", on: "request_authorization_tokens")
            var visitor = fleet.browser
            #expect(try await visitor.get("/login").status == 500)
            #expect(try await fleet.database.query(sessions, parameters: []) == [["1"]])

            try await fleet.allow(on: "request_authorization_tokens")
            _ = try await visitor.beginLogIn()
            let tokens = "SELECT count(*)::text FROM request_authorization_tokens"
            #expect(try await fleet.database.query(tokens, parameters: []) == [["0"]])
            #expect(try await fleet.database.query(sessions, parameters: []) == [["0"]])
        }
    }

    @Test func `a session that cannot be stored or deleted leaves no token`() async throws {
        try await RunningFleet.run { fleet in
            let tokens = "SELECT count(*)::text FROM request_authorization_tokens WHERE status = 'token'"
            var browser = try await fleet.loggedIn()
            let form = try await browser.get("/me").formToken
            try await fleet.refuse("DELETE", on: "spotify_web_browsers")
            #expect(try await browser.post("/logout", "csrf=\(form)").status == 500)
            #expect(try await fleet.database.query(tokens, parameters: []) == [["0"]], "a log-out")
            try await fleet.allow(on: "spotify_web_browsers")
            _ = try await browser.get("/")  // The next request then goes to the replica of the log-out.
            #expect(try await browser.get("/me").location == "/?notice=session-ended&return_to=%2Fme")

            let callback = try await fleet.spotify.callback(for: try await browser.beginLogIn())
            try await fleet.refuse("INSERT", on: "spotify_web_browsers")
            #expect(try await browser.open(callback).status == 500)
            #expect(try await fleet.database.query(tokens, parameters: []) == [["0"]], "a log-in")
        }
    }

    @Test func `no token is stored before the session that leads to it`() async throws {
        try await RunningFleet.run { fleet in
            var browser = fleet.browser
            let callback = try await fleet.spotify.callback(for: try await browser.beginLogIn())
            try await fleet.refuse("INSERT", on: "spotify_web_browsers")
            #expect(try await browser.open(callback).status == 500)
            let rows = "SELECT count(*)::text FROM request_authorization_tokens"
            #expect(try await fleet.database.query(rows, parameters: []) == [["0"]])
        }
    }

    @Test func `a key is changed without an end of sessions or log-ins`() async throws {
        try await RunningFleet.run { fleet in
            let (old, new) = (try #require(fleet.environment["SESSION_KEY"]), RunningFleet.newKey())
            let browser = try await fleet.loggedIn()
            let rotated = try await fleet.replica(keys: "\(new),\(old)")
            defer { rotated.kill() }
            var before = TestBrowser(base: "http://\(rotated.name)", id: browser.id)
            #expect(try await before.get("/me").status == 200)

            // What this replica seals needs only the new key.
            var after = TestBrowser(base: "http://\(rotated.name)")
            _ = try await after.open(try await fleet.spotify.callback(for: try await after.beginLogIn()))
            let last = try await fleet.replica(keys: new)
            defer { last.kill() }
            var later = TestBrowser(base: "http://\(last.name)", id: after.id)
            #expect(try await later.get("/me").status == 200)
            var past = TestBrowser(base: "http://\(last.name)", id: browser.id)
            #expect(try await past.get("/me").location == "/?notice=session-ended&return_to=%2Fme")
        }
    }

    @Test func `a session or a log-in that cannot be opened has ended`() async throws {
        try await RunningFleet.run { fleet in
            var browser = try await fleet.loggedIn()
            let session = "UPDATE spotify_web_browsers SET session = 'sealed'::bytea"
            _ = try await fleet.database.query(session, parameters: [])
            #expect(try await browser.get("/me").location == "/?notice=session-ended&return_to=%2Fme")
            #expect(browser.id == nil)

            let callback = try await fleet.spotify.callback(for: try await browser.beginLogIn())
            let logIn = "UPDATE spotify_web_log_ins SET sealed = 'sealed'::bytea"
            _ = try await fleet.database.query(logIn, parameters: [])
            #expect(try await browser.open(callback).status == 400)
            _ = try await fleet.loggedIn()
        }
    }

    @Test func `the database contains no cookie, no form token and no log-in in the clear`() async throws {
        try await RunningFleet.run { fleet in
            var visitor = fleet.browser
            let page = try await visitor.beginLogIn()
            let state = try #require(page.query()?.firstMatch(of: #/state=([^&]+)/#)?.output.1)
            var browser = try await fleet.loggedIn()
            let form = try await browser.get("/me").formToken
            var text = ""
            for table in ["spotify_web_browsers", "spotify_web_log_ins", "request_authorization_tokens"] {
                let rows = try await fleet.database.query("SELECT row::text FROM \(table) AS row", parameters: [])
                #expect(!rows.isEmpty, "\(table)")
                text += rows.map { "\($0)" }.joined()
            }
            for secret in [try #require(browser.id), try #require(visitor.id), form, String(state)] {
                #expect(!text.contains(secret))
                #expect(!text.contains(secret.utf8.map { String(format: "%02x", $0) }.joined()))
            }
        }
    }
}
#endif
