// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import Testing

@testable import RequestAuthorizationOAuth

/// The receiver's answer to each kind of request.
@Suite(.timeLimit(.minutes(5))) struct LoopbackRuleTests {
    @Test(arguments: [LoopbackReceiver.Address.ipv4, .ipv6])
    func `the callback is returned as it was sent`(address: LoopbackReceiver.Address) async throws {
        let query = "code=a%2Bb%26c%3D+%C3%BC&state=\(PendingSignIn.stateForTests)&iss=https%3A%2F%2Fa.example"
        let callback = try await withReception(.loopback(address: address)) { reception in
            #expect(reception.redirectURI == "http://\(reception.authority)/callback")
            let answer = try await reception.ask("/callback?\(query)")
            #expect(answer.status == 200)
        }
        #expect(callback.absoluteString.hasSuffix("/callback?\(query)"))
        #expect(callback.absoluteString.hasPrefix(address == .ipv4 ? "http://127.0.0.1:" : "http://[::1]:"))
    }

    @Test func `what browsers do not encode is encoded in the callback`() async throws {
        let state = PendingSignIn.stateForTests
        let callback = try await withReception { reception in
            let answer = try await reception.ask("/callback?code=a|{b}^`\\[c]&state=\(state)")
            #expect(answer.status == 200)
        }
        #expect(callback.absoluteString.hasSuffix("/callback?code=a%7C%7Bb%7D%5E%60%5C%5Bc%5D&state=\(state)"))
    }

    @Test(arguments: [
        ("error=access_denied&error_description=100%", "error=access_denied&error_description=100%25"),
        ("error=access_denied&error_description=%4", "error=access_denied&error_description=%254"),
        ("error_description=%zz&error=access_denied", "error_description=%25zz&error=access_denied"),
        ("code=c%&x=%%20%fG%Ff", "code=c%25&x=%25%20%25fG%Ff"),
    ])
    func `a percent sign that encodes nothing is encoded in the callback`(query: String, encoded: String) throws {
        let state = "state=\(PendingSignIn.stateForTests)"
        var exchange = LoopbackExchange(literal: "127.0.0.1", path: "/callback")
        exchange.listen(on: 8080)
        let pending = try PendingSignIn.waiting(at: exchange.redirectURI)
        let isAwaited = exchange.begin(pending)
        #expect(isAwaited)
        let answer = exchange.answer(
            to: LoopbackExchange.Request(
                method: "GET", target: "/callback?\(state)&\(query)", hosts: ["127.0.0.1:8080"]))
        #expect(answer.status == 200)
        #expect(answer.callback?.absoluteString == "http://127.0.0.1:8080/callback?\(state)&\(encoded)")
    }

    @Test func `the page says that the window can be closed, and shows nothing of the request`() async throws {
        _ = try await withReception { reception in
            let page = try await reception.ask("/callback?code=c0de&x=<b>&state=\(PendingSignIn.stateForTests)")
            #expect(page.status == 400)
            let answer = try await reception.ask(Reception.good, fields: "X-Name: <i>\r\nUser-Agent: spy\r\n")
            #expect(answer.body.contains("You can close this window."))
            for text in ["c0de", PendingSignIn.stateForTests, "<i>", "spy", "\(reception.port)"] {
                #expect(!answer.body.contains(text) && !answer.head.contains(text))
            }
        }
    }

    @Test(arguments: [
        "error=access_denied", "%65rror=access_denied", "error=server_error&error_description=%3Cb%3E", "x=1",
        "code=c0de&error=access_denied", "code=c0de&code=c0de",
    ])
    func `a denial or an error is a callback, and its page says that the user is not signed in`(query: String)
        async throws
    {
        let callback = try await withReception { reception in
            let answer = try await reception.ask("/callback?\(query)&state=\(PendingSignIn.stateForTests)")
            #expect(answer.status == 200)
            #expect(answer.body.contains("<p>Access was not granted. You can close this window.</p>"))
            #expect(!answer.body.contains("Sign-in received"))
            for text in ["access_denied", "server_error", "c0de", "<b>", "%3C"] { #expect(!answer.body.contains(text)) }
        }
        #expect(callback.query(percentEncoded: true) == "\(query)&state=\(PendingSignIn.stateForTests)")
    }

    @Test(arguments: ["", "&error=", "&error_description=none", "&mirror=error=access_denied"])
    func `a page says that the sign-in goes on only after a code`(rest: String) async throws {
        _ = try await withReception { reception in
            let answer = try await reception.ask(Reception.good + rest)
            #expect(answer.body.contains("<p>The app goes on now. You can close this window.</p>"))
        }
    }

    @Test(arguments: [Reception.good, "/callback?code=c0de&state=other", "/favicon.ico"])
    func `no page can be cached, framed or scripted, or gives away its address`(target: String) async throws {
        _ = try await withReception { reception in
            let answer = try await reception.ask(target)
            #expect(answer["Content-Type"] == "text/html; charset=utf-8")
            #expect(answer["Content-Length"] == "\(answer.body.utf8.count)")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(
                answer["Content-Security-Policy"]
                    == "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
            #expect(answer["Referrer-Policy"] == "no-referrer")
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Connection"] == "close")
            if target != Reception.good { try await reception.end() }
        }
    }

    @Test(arguments: [
        ("/callback?code=c0de&state=other", 400), ("/callback?code=c0de", 400), ("/callback", 400),
        ("/callback?", 400), ("/favicon.ico", 404), ("/", 404), ("/callback/", 404), ("/Callback?state=5tate", 404),
        ("/callback/../callback?code=c0de&state=5tate", 404), ("/%63allback?code=c0de&state=5tate", 404),
        ("//callback?code=c0de&state=5tate", 404), ("/favicon.ico?code=c0de&state=5tate", 404),
        ("callback?code=c0de&state=5tate&next=http://127.0.0.1", 400), ("/callback?code=<&state=5tate", 400),
    ])
    func `another request is refused and leaves the sign-in pending`(target: String, status: Int) async throws {
        let callback = try await withReception { reception in
            #expect(try await reception.ask(target).status == status)
            try await reception.end()
        }
        #expect(callback.absoluteString.hasSuffix(Reception.good))
    }

    @Test(arguments: ["http", "HTTP"], [LoopbackReceiver.Address.ipv4, .ipv6])
    func `RFC 9112 §3.2.2: a target may be a whole URL, and the field Host does not count then`(
        scheme: String, address: LoopbackReceiver.Address
    ) async throws {
        let callback = try await withReception(.loopback(address: address)) { reception in
            let base = "\(scheme)://\(reception.authority)"
            let other = try await reception.ask("\(base)/favicon.ico?code=c0de&state=5tate")
            let root = try await reception.ask(base)
            #expect(other.status == 404 && root.status == 404)
            let callback = base + Reception.good
            #expect(try await reception.ask(callback, method: "POST").status == 405)
            #expect(try await reception.ask(callback, hosts: []).status == 400)
            #expect(try await reception.ask(callback, hosts: ["proxy.example"]).status == 200)
        }
        #expect(callback.absoluteString.hasPrefix(address == .ipv4 ? "http://127.0.0.1:" : "http://[::1]:"))
        #expect(callback.absoluteString.hasSuffix(Reception.good))
    }

    @Test(arguments: [
        "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost:PORT", "http://evil.example:PORT",
        "https://127.0.0.1:PORT", "ws://127.0.0.1:PORT", "http://127.0.0.1:PORT@evil.example",
        "http://user@127.0.0.1:PORT", "http://[::1]:PORT",
    ])
    func `a whole URL of another origin is refused and leaves the sign-in pending`(base: String) async throws {
        _ = try await withReception { reception in
            let base = base.replacing("PORT", with: "\(reception.port)")
            #expect(try await reception.ask(base + Reception.good).status == 400)
            try await reception.end()
        }
    }

    @Test(arguments: ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])
    func `another method is refused and leaves the sign-in pending`(method: String) async throws {
        _ = try await withReception { reception in
            let refused = try await reception.ask(Reception.good, method: method)
            #expect(refused.status == 405)
            #expect(refused["Allow"] == "GET")
            #expect(refused.body.isEmpty == (method == "HEAD"))
            try await reception.end()
        }
    }

    @Test(arguments: [
        "", "127.0.0.1", "localhost:PORT", "127.0.0.1:1", "evil.example:PORT", "127.1:PORT", "[::1]:PORT",
    ])
    func `another host is refused and leaves the sign-in pending`(host: String) async throws {
        _ = try await withReception { reception in
            let host = host.replacing("PORT", with: "\(reception.port)")
            #expect(try await reception.ask(Reception.good, hosts: [host]).status == 400)
            try await reception.end()
        }
    }

    @Test func `a request without a host, or with two, is refused`() async throws {
        _ = try await withReception { reception in
            #expect(try await reception.ask(Reception.good, hosts: []).status == 400)
            let twice = [reception.authority, reception.authority]
            #expect(try await reception.ask(Reception.good, hosts: twice).status == 400)
            try await reception.end()
        }
    }

    @Test(arguments: [
        "HELLO\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}", "GET  HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA B\r\n\r\n",
    ])
    func `bytes that are not HTTP are refused and leave the sign-in pending`(text: String) async throws {
        _ = try await withReception { reception in
            #expect(try await reception.say(text).status == 400)
            try await reception.end()
        }
    }

    @Test func `a second callback is refused, and browsers may leave out the port 80`() throws {
        for (port, host) in [(8080, "127.0.0.1:8080"), (80, "127.0.0.1:80"), (80, "127.0.0.1")] {
            var exchange = LoopbackExchange(literal: "127.0.0.1", path: "/callback")
            exchange.listen(on: port)
            let pending = try PendingSignIn.waiting(at: exchange.redirectURI)
            let isAwaited = exchange.begin(pending)
            #expect(isAwaited)
            let request = LoopbackExchange.Request(method: "GET", target: Reception.good, hosts: [host])
            #expect(exchange.answer(to: request).callback != nil)
            let second = exchange.answer(to: request)
            #expect(second.status == 400 && second.callback == nil)
        }
    }

    @Test func `a second request on a connection is not answered`() async throws {
        let callback = try await withReception { reception in
            let first = "GET /favicon.ico HTTP/1.1\r\nHost: \(reception.authority)\r\n\r\n"
            let second = "GET /callback?code=2&state=5tate HTTP/1.1\r\nHost: \(reception.authority)\r\n\r\n"
            let answer = try await reception.say(first + second)
            #expect(answer.status == 404)
            #expect(!answer.body.contains("HTTP/1.1"))
            try await reception.end()
        }
        #expect(callback.absoluteString.hasSuffix(Reception.good))
    }
}
#endif
