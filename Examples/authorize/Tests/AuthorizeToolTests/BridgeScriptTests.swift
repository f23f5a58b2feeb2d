// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import TestServers
import Testing

/// The bridge, with servers that do not do what is usual.
@Suite(.enabled(if: Scripted.isThere), .timeLimit(.minutes(5)))
struct BridgeScriptTests {
    private static let progress = #"{"jsonrpc":"2.0","method":"notifications/progress"}"#

    @Test(arguments: [
        (Scripted.Answer.events("data: \(progress)\n\n"), [progress], "ended before"),
        (.events("data: \(progress)\n\n", isCut: true), [progress], "ended before"),
        (.events("data: <html>\n\n"), [], "ended before"),
        (.page("<html>\n</html>", type: "text/html"), [], "without a response"),
        (.page(""), [], "without a response"),
        (.page(#"{"id":5,"result":{}}"#), [], "without a response"),
        (.page(Scripted.answer(id: #""5""#)), [Scripted.answer(id: #""5""#)], "without a response"),
        (.init(status: 307, fields: ["Location": "/mcp/"]), [], "answered 307; use the URL that it names: /mcp/"),
    ]) func `an answer without the response becomes an error of the request`(
        answer: Scripted.Answer, lines: [String], reason: String
    ) async throws {
        try await Scripted.with(["tools/call": [answer]]) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(Scripted.request("tools/call"))
            for line in lines { #expect(try await bridge.line() == line) }
            let error = try await bridge.line()
            #expect(error.contains(#""id":5"#) && error.contains("-32000") && error.contains(reason), "\(error)")
        }
    }

    @Test func `an answer that is too long becomes an error of the request`() async throws {
        var answer = Scripted.Answer.page(String(repeating: "a", count: 70_000))
        answer.copies = 1000
        try await Scripted.with(["tools/call": [answer]]) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(Scripted.request("tools/call"))
            let error = try await bridge.line()
            #expect(error.contains(#""id":5"#) && error.contains("the server's answer is too long"), "\(error)")
        }
    }

    @Test func `the requests of a batch are answered one by one`() async throws {
        let part = "[\(Scripted.answer(id: "1"))]"
        let batch = """
            [{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","id":"2","method":"c"}]

            """
        try await Scripted.with(["batch": [.page(part)]]) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(batch)
            #expect(try await bridge.line() == part)
            let error = try await bridge.line()
            #expect(error.contains(#""id":"2""#) && error.contains("without a response"))
        }
    }

    @Test(arguments: [false, true]) func `a stream goes on after its last event`(isCut: Bool) async throws {
        try await Scripted.with([
            "tools/call": [.events("id: 1\nretry: 1\ndata:\n\n", isCut: isCut)],
            "GET": [
                .events("data: \(Self.progress)\nid: 2\n\n", isCut: isCut), Scripted.Answer(status: 503),
                .events("data: \(Scripted.answer())\n\n"),
            ],
        ]) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line() == Self.progress)
            #expect(try await bridge.line() == Scripted.answer())
            for line in ["tools/call -", "GET 1", "GET 2", "GET 2"] {
                #expect(try await server.seen().hasPrefix("\(line) "))
            }
        }
    }

    @Test(arguments: [
        [Scripted.Answer(status: 405)], [.page("", type: "text/html")], Array(repeating: .events(""), count: 9),
    ]) func `a stream that cannot go on is an error of the request`(answers: [Scripted.Answer]) async throws {
        try await Scripted.with(["tools/call": [.events("id: 1\nretry: 1\n\n")], "GET": answers]) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(Scripted.request("tools/call"))
            let error = try await bridge.line()
            #expect(error.contains(#""id":5"#) && error.contains("ended before"), "\(error)")
        }
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func `one signal ends a bridge that waits`(signal: Int32) async throws {
        try await Scripted.with(["GET": [Scripted.Answer(hangs: true)]]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.notification("notifications/initialized"))
            _ = try await server.seen("GET")
            bridge.send(signal)
            #expect(await bridge.status() == -signal)
        }
    }

    @Test func `a signal that was ignored at the start ends no bridge`() async throws {
        try await Scripted.with { server in
            // A script that starts a program with `&` ignores Ctrl-C for it.
            let bridge = try server.shell("trap '' INT; exec authorize mcp \(server.url)")
            try bridge.say(BridgeTests.initialize)
            #expect(try await bridge.line().contains("protocolVersion"))
            bridge.send(SIGINT)
            try bridge.say(Scripted.request("ping"))
            #expect(try await bridge.line().contains(#""id": 5"#))
            #expect(try await bridge.result().status == 0)
        }
    }

    @Test func `one signal ends a bridge whose answers nobody reads`() async throws {
        // More than a pipe holds.
        let text = String(repeating: "a", count: 100_000)
        let answer = Scripted.Answer.page(Scripted.answer(#"{"text":"\#(text)"}"#))
        try await Scripted.with(["tools/call": [answer]]) { server in
            let shell = try server.shell(
                """
                cd; mkfifo out; exec 3<>out 4<&0
                authorize mcp \(server.url) <&4 >out & head -c 1 out; kill $!; wait $!; echo $?
                """)
            try shell.say(Scripted.request("tools/call"))
            #expect(try await shell.line() == "{\(128 + SIGTERM)")
        }
    }

    @Test func `a server waits while the client reads nothing`() async throws {
        // An event is more than a pipe holds, and all are more than the connection holds.
        let text = String(repeating: "a", count: 70_000)
        var answer = Scripted.Answer.events(
            #"data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\#(text)"}}"# + "\n\n")
        answer.copies = 500
        try await Scripted.with(["tools/call": [answer]]) { server in
            let bridge = try server.shell("cd; mkfifo out; exec 3<>out; exec authorize mcp \(server.url) >out")
            try bridge.say(Scripted.request("tools/call"))
            _ = try await server.seen("tools/call")
            #expect(try await server.seen() == "held up")
            bridge.send(SIGTERM)
            #expect(await bridge.status() == -SIGTERM)
        }
    }

    @Test func `a signal cuts off no message that the client reads`() async throws {
        // More than a pipe holds.
        let text = String(repeating: "a", count: 100_000)
        let opening = Scripted.Answer(
            fields: ["Content-Type": "application/json", "Mcp-Session-Id": "1"],
            body: Scripted.answer(#"{"protocolVersion":"2025-11-25"}"#))
        let answer = Scripted.Answer.page(Scripted.answer(#"{"text":"\#(text)"}"#))
        try await Scripted.with(["initialize": [opening], "tools/call": [answer]]) { server in
            let requests = Scripted.request("initialize") + Scripted.request("tools/call")
            let shell = try server.shell(
                """
                cd; mkfifo in out; exec 3<>in
                authorize mcp \(server.url) <in >out & exec 5<out
                printf %s '\(requests)' >&3; read -r _ <&5; head -c 1 <&5; kill $!
                read -r _; tail -c 2 <&5; wait $!; echo $?
                """)
            // All else has ended by then.
            _ = try await server.seen("DELETE")
            try shell.say("\n")
            #expect(try await shell.line() == "{}")
            #expect(try await shell.line() == "\(128 + SIGTERM)")
        }
    }

    @Test func `the server's own stream goes on after errors and events without data`() async throws {
        try await Scripted.with([
            "GET": [
                Scripted.Answer(status: 503, fields: ["Retry-After": "0"]), Scripted.Answer(status: 404),
                .events("\u{FEFF}data: \(Self.progress)\nretry: 1\n\nid: 7\ndata:\n\n"),
                .events("data: \(Self.progress)\nid: 8\n\n"), Scripted.Answer(hangs: true),
            ]
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.notification("notifications/initialized"))
            for id in ["-", "-", "-", "7", "8"] { #expect(try await server.seen("GET").hasPrefix("GET \(id) ")) }
            #expect(try await bridge.line() == Self.progress)
            #expect(try await bridge.line() == Self.progress)
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line().contains(#""id": 5"#))
        }
    }

    @Test func `a notification that hangs delays no request`() async throws {
        try await Scripted.with(["notifications/progress": [Scripted.Answer(hangs: true)]]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.notification("notifications/progress") + Scripted.request("tools/call"))
            #expect(try await bridge.line().contains(#""id": 5"#))
            bridge.send(SIGTERM)
            #expect(await bridge.status() == -SIGTERM)
        }
    }

    @Test func `a sign-in at a longer URL counts for a bridge that runs`() async throws {
        let refusal = Scripted.Answer(
            status: 403, fields: ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="write""#])
        try await Scripted.with(["tools/call": [refusal, refusal]], isGuarded: true) { server in
            try await server.login(server.base + "/")
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            let advice = try await bridge.line()
            let words = "--scope read --scope write --no-browser"
            #expect(advice.contains("`authorize login \(server.url) \(words)`"), "\(advice)")
            try await server.login(server.url, "--scope", "read", "--scope", "write")
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line().contains(#""result""#))
            // It learns of the sign-in by a refusal.
            for token in ["t1", "t1", "t2"] {
                #expect(try await server.seen("tools/call") == "tools/call - Bearer \(token)")
            }
        }
    }

    @Test func `the advice for a URL below that of a session names the session's`() async throws {
        let refusal = Scripted.Answer(status: 403, fields: ["WWW-Authenticate": #"Bearer error="insufficient_scope""#])
        try await Scripted.with(["tools/call": [refusal]], isGuarded: true) { server in
            try await server.login(server.base + "/")
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            let advice = try await bridge.line()
            #expect(advice.contains("`authorize login \(server.base)/ --no-browser`"), "\(advice)")
        }
    }

    @Test func `a sign-in with a key counts for a bridge that runs, and its stream begins again`() async throws {
        let refusal = Scripted.Answer(status: 403, fields: ["WWW-Authenticate": #"Bearer error="insufficient_scope""#])
        try await Scripted.with(["GET": [refusal, Scripted.Answer(hangs: true)]], isGuarded: true) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(BridgeTests.initialize)
            let advice = try await bridge.line()
            #expect(advice.contains("`authorize login \(server.url)`"), "\(advice)")
            try await server.login(server.url, "--dpop")
            try bridge.say(BridgeTests.initialize)
            #expect(try await bridge.line().contains("protocolVersion"))
            try bridge.say(Scripted.notification("notifications/initialized"))
            #expect(try await server.seen("GET").hasPrefix("GET - DPoP "))
            let bound = try await bridge.error(with: "asks for a new sign-in")
            #expect(bound.contains("`authorize login \(server.url) --no-browser --dpop`"), "\(bound)")
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await server.seen("GET").hasPrefix("GET - DPoP "))
        }
    }

    @Test func `a bridge that begins after the end of a session with a key binds no other one`() async throws {
        let end = Scripted.Answer(
            status: 400, fields: ["Content-Type": "application/json"], body: #"{"error":"invalid_grant"}"#)
        let refusal = Scripted.Answer(status: 401, fields: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
        try await Scripted.with(["refresh": [end], "tools/call": [refusal]], isGuarded: true) { server in
            try await server.login(server.url, "--dpop")
            #expect(try await server.start("token", server.url, "--lasting", "2h").result().status == 77)
            let bridge = try server.start("mcp", server.url)
            try bridge.say(BridgeTests.initialize)
            #expect(try await bridge.line().contains("--dpop`"))
            try await server.login(server.url)
            // It is refused, refreshed, and sent again.
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line().contains(#""result""#))
            for token in ["t2", "t3"] {
                #expect(try await server.seen("tools/call") == "tools/call - Bearer \(token)")
            }
        }
    }

    @Test func `a bridge that runs with a key binds no session that was signed in without one since`() async throws {
        let refusal = Scripted.Answer(status: 401, fields: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
        try await Scripted.with(["tools/call": [refusal]], isGuarded: true) { server in
            try await server.login(server.url, "--dpop")
            let bridge = try await server.bridge()
            try await server.login(server.url)
            // It is refused, refreshed, and sent again.
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line().contains(#""result""#))
            for token in ["t2", "t3"] {
                #expect(try await server.seen("tools/call") == "tools/call - Bearer \(token)")
            }
        }
    }

    @Test func `the advice has the words of a sign-in since the start, not of one that only waited`() async throws {
        let refusal = Scripted.Answer(status: 403, fields: ["WWW-Authenticate": #"Bearer error="insufficient_scope""#])
        try await Scripted.with(["tools/call": [refusal]], isGuarded: true) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(BridgeTests.initialize)
            #expect(try await bridge.line().contains("`authorize login \(server.url)`"))
            let words = "--issuer \(server.base) --client c --client-secret-file"
            let first = try server.shell(
                "cd; echo s >secret; exec authorize login \(server.url) --no-browser \(words) secret")
            let page = try await first.page()
            let second = try server.start("login", server.url, "--no-browser")
            _ = try await second.error(with: "has been signing in here since")
            try await User.allow(page)
            for login in [first, second] { #expect(try await login.result().status == 0) }
            try bridge.say(Scripted.request("tools/call"))
            let advice = try await bridge.line()
            #expect(advice.contains("`authorize login \(server.url) \(words) /"), "\(advice)")
        }
    }

    /// The answer to `initialize` of a server with sessions.
    private static func opened(_ session: String = "a", version: String = "2025-11-25") -> Scripted.Answer {
        Scripted.Answer(
            fields: ["Content-Type": "application/json", "Mcp-Session-Id": session],
            body: Scripted.answer(id: "1", #"{"protocolVersion":"\#(version)"}"#))
    }

    @Test(arguments: [SIGTERM, SIGINT, nil]) func `the session at the server ends with the bridge`(
        signal: Int32?
    ) async throws {
        try await Scripted.with(["initialize": [Self.opened()]]) { server in
            let bridge = try await server.bridge()
            if let signal { bridge.send(signal) }
            #expect(try await bridge.result().status == signal.map { -$0 } ?? 0)
            try await User.allow(server.url)
            for kind in ["initialize", "DELETE", "GET"] { #expect(try await server.seen().hasPrefix(kind)) }
        }
    }

    @Test func `the session at the server ends also if nobody reads the answers`() async throws {
        try await Scripted.with(["initialize": [Self.opened()]]) { server in
            let pipe = try server.shell("authorize mcp \(server.url) | head -n 1; echo ${PIPESTATUS[0]}")
            try pipe.say(BridgeTests.initialize)
            #expect(try await pipe.line().contains("protocolVersion"))
            try pipe.say(Scripted.request("ping"))
            #expect(try await pipe.line() == "\(128 + SIGPIPE)")
            for kind in ["initialize", "ping", "DELETE"] { #expect(try await server.seen().hasPrefix(kind)) }
        }
    }

    @Test(arguments: [
        ("tools/call", Scripted.request("tools/call")),
        ("batch", #"[{"jsonrpc":"2.0","id":5,"method":"a"},{"jsonrpc":"2.0","id":6,"method":"b"}]"#),
    ]) func `a request of a client that has gone does not go on`(kind: String, request: String) async throws {
        // More than a pipe holds.
        let text = String(repeating: "a", count: 70_000)
        let other = Scripted.answer(id: "4", #"{"text":"\#(text)"}"#)
        var called = Scripted.Answer.events("data: \(other)\n\n")
        called.staysOpen = true
        let requests = BridgeTests.initialize + request
        try await Scripted.with(["initialize": [Self.opened()], kind: [called]]) { server in
            let pipe = try server.shell(
                "printf %s '\(requests)' | authorize mcp \(server.url) | head -n 1; echo ${PIPESTATUS[1]}")
            #expect(try await pipe.line().contains("protocolVersion"))
            #expect(try await pipe.line() == "\(128 + SIGPIPE)")
            for kind in ["initialize", kind, "DELETE"] { #expect(try await server.seen().hasPrefix(kind)) }
        }
    }

    @Test func `a late 404 of an earlier session does not end the next one`() async throws {
        let late = Scripted.Answer(status: 404, until: "notifications/progress")
        try await Scripted.with(["initialize": [Self.opened(), Self.opened("b")], "tools/call": [late]]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            _ = try await server.seen("tools/call")
            try bridge.say(BridgeTests.initialize)
            #expect(try await bridge.line().contains("protocolVersion"))
            try bridge.say(Scripted.notification("notifications/progress"))
            #expect(try await bridge.line().contains("connect again"))
            #expect(try await bridge.result().status == 0)
            try await User.allow(server.url)
            for kind in ["initialize", "notifications/progress", "DELETE", "GET"] {
                #expect(try await server.seen().hasPrefix(kind))
            }
        }
    }

    @Test func `a session that the server has ended begins again once, unseen by the client`() async throws {
        let ended = Scripted.Answer(status: 404, until: "notifications/progress")
        try await Scripted.with([
            "initialize": [Self.opened(), Self.opened("b")], "tools/call": [ended, ended],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call") + Scripted.request("tools/call", id: "6"))
            for _ in 1...2 { _ = try await server.seen("tools/call") }
            try bridge.say(Scripted.notification("notifications/progress"))
            let answers = try await [bridge.line(), bridge.line()]
            for id in ["5", "6"] {
                #expect(answers.contains { $0.contains(#""id": \#(id), "result""#) }, "\(answers)")
            }
            let result = try await bridge.result()
            #expect(result.status == 0 && result.output.split(separator: "\n").count == 3, "\(result)")
            var kinds: [Substring] = []
            repeat { kinds.append(try await server.seen().prefix { $0 != " " }) } while kinds.last != "DELETE"
            let first: [Substring] = ["notifications/progress", "initialize", "notifications/initialized"]
            #expect(kinds.starts(with: first), "\(kinds)")
            #expect(kinds.filter { $0 == "initialize" }.count == 1 && kinds.filter { $0 == "tools/call" }.count == 2)
        }
    }

    @Test(arguments: [
        Scripted.Answer(
            status: 400, fields: ["Content-Type": "application/json"],
            body: #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}"#),
        // The client knows another version.
        opened("b", version: "2025-06-18"),
    ])
    func `an end of the session that no other one follows is an error of the request`(
        answer: Scripted.Answer
    ) async throws {
        let ended = Scripted.Answer(status: 404)
        try await Scripted.with([
            "initialize": [Self.opened(), answer, Self.opened("c")], "tools/call": [ended, ended],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            let error = try await bridge.line()
            #expect(error.contains(#""id":5"#) && error.contains("connect again"), "\(error)")
            // The next one tries again.
            try bridge.say(Scripted.request("tools/call", id: "6"))
            #expect(try await bridge.line().contains(#""id": 6, "result""#))
        }
    }

    @Test func `a session of a version that the client does not know ends at once`() async throws {
        try await Scripted.with([
            "initialize": [Self.opened(), Self.opened("b", version: "2025-06-18")],
            "tools/call a": [Scripted.Answer(status: 404)],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line().contains("connect again"))
            #expect(try await bridge.result().status == 0)
            try await User.allow(server.url)
            for kind in ["initialize", "tools/call", "initialize", "DELETE", "DELETE"] {
                #expect(try await server.seen().hasPrefix(kind))
            }
        }
    }

    @Test(arguments: [false, true])
    func `a late request of an earlier session goes to the last one, unless the client began that`(
        isClients: Bool
    ) async throws {
        let ended = Scripted.Answer(status: 404)
        try await Scripted.with([
            "initialize": [Self.opened(), Self.opened("b"), Self.opened("c")], "tools/call a": [ended],
            "ping b": [ended], "tools/list a": [Scripted.Answer(status: 404, until: "notifications/progress")],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/list", id: "6"))
            _ = try await server.seen("tools/list")
            let next = isClients ? BridgeTests.initialize : Scripted.request("ping")
            for request in [Scripted.request("tools/call"), next] {
                try bridge.say(request)
                #expect(try await bridge.line().contains(#""result""#))
            }
            try bridge.say(Scripted.notification("notifications/progress"))
            let last = try await bridge.line()
            #expect(last.contains(isClients ? "connect again" : #""id": 6, "result""#), "\(last)")
        }
    }

    @Test func `a session that begins again is used only when it is ready`() async throws {
        let ended = Scripted.Answer(status: 404)
        try await Scripted.with([
            "initialize": [Self.opened(), Self.opened("b"), Self.opened("c")], "tools/call a": [ended, ended],
            "notifications/initialized": [Scripted.Answer(hangs: true)],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            _ = try await server.seen("notifications/initialized")
            try bridge.say(Scripted.cancellation(of: "5") + Scripted.request("tools/call", id: "6"))
            #expect(try await bridge.line().contains(#""id": 6, "result""#))
            #expect(try await bridge.result().status == 0)
            // The server is told of the one that is not used.
            let unused = try await server.seenToEnd()
            try #require(!unused.contains { $0.hasPrefix("initialize ") }, "\(unused)")
            let lines = try await server.seenToEnd()
            #expect(lines.contains { $0.hasPrefix("initialize ") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("notifications/initialized ") }, "\(lines)")
        }
    }

    @Test func `a request that the client cancels takes no new session from the others`() async throws {
        try await Scripted.with([
            "initialize": [Self.opened(), Scripted.Answer(hangs: true), Self.opened("b")],
            "tools/call a": [Scripted.Answer(status: 404, until: "tools/list")],
            "tools/list a": [Scripted.Answer(status: 404, until: "response")],
        ]) { server in
            let bridge = try await server.bridge()
            _ = try await server.seen("initialize")
            try bridge.say(Scripted.request("tools/call") + Scripted.request("tools/list", id: "6"))
            // Both requests, and the `initialize` for the first one.
            for _ in 1...3 { _ = try await server.seen() }
            // The second one comes to wait meanwhile.
            for _ in 1...3 {
                try bridge.say(Scripted.answer(id: "9") + "\n")
                _ = try await server.seen("response")
            }
            try bridge.say(Scripted.cancellation(of: "5"))
            let line = try await bridge.line()
            #expect(line.contains(#""id": 6, "result""#), "\(line)")
        }
    }

    @Test func `a stream of an ended session does not go on in the next one`() async throws {
        try await Scripted.with([
            "initialize": [Self.opened(), Self.opened("b")], "tools/call a": [.events("id: 1\nretry: 1\n\n")],
            "tools/list a": [Scripted.Answer(status: 404)],
            "GET a": [Scripted.Answer(status: 503, until: "notifications/initialized")],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await server.seen("GET").hasPrefix("GET 1 "))
            try bridge.say(Scripted.request("tools/list", id: "6"))
            let answers = try await [bridge.line(), bridge.line()]
            #expect(answers.contains { $0.contains(#""id": 6, "result""#) }, "\(answers)")
            #expect(answers.contains { $0.contains(#""id":5"#) && $0.contains("ended before") }, "\(answers)")
            #expect(try await bridge.result().status == 0)
            let lines = try await server.seenToEnd()
            #expect(!lines.contains { $0.hasPrefix("GET 1 ") }, "\(lines)")
        }
    }

    @Test func `a stream that begins after the end of its session does not go on in the next one`() async throws {
        var late = Scripted.Answer.events("id: 1\nretry: 1\n\n")
        late.until = "notifications/initialized"
        try await Scripted.with([
            "initialize": [Self.opened(), Self.opened("b")], "tools/call a": [late],
            "tools/list a": [Scripted.Answer(status: 404, until: "tools/call")],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call") + Scripted.request("tools/list", id: "6"))
            let answers = try await [bridge.line(), bridge.line()]
            #expect(answers.contains { $0.contains(#""id": 6, "result""#) }, "\(answers)")
            #expect(answers.contains { $0.contains(#""id":5"#) && $0.contains("ended before") }, "\(answers)")
            #expect(try await bridge.result().status == 0)
            let lines = try await server.seenToEnd()
            #expect(!lines.contains { $0.hasPrefix("GET 1 ") }, "\(lines)")
        }
    }

    @Test func `a question of an ended session is taken back, unless it has its answer`() async throws {
        let questions = ["8", "9"].map { #"{"jsonrpc":"2.0","id":\#($0),"method":"ping"}"# }
        var called = Scripted.Answer.events(questions.map { "data: \($0)\n\n" }.joined())
        called.staysOpen = true
        try await Scripted.with([
            "initialize": [Self.opened(), Self.opened("b")], "tools/call a": [called],
            "tools/list a": [Scripted.Answer(status: 404)],
        ]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            for question in questions { #expect(try await bridge.line() == question) }
            try bridge.say(Scripted.answer(id: "8") + "\n")
            _ = try await server.seen("response")
            try bridge.say(Scripted.request("tools/list", id: "6"))
            let cancellation = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#
            #expect(try await bridge.line() == cancellation)
            #expect(try await bridge.line().contains(#""id": 6, "result""#))
            bridge.send(SIGTERM)
            #expect(await bridge.status() == -SIGTERM)
        }
    }

    @Test func `a session that needs a person to begin again says so`() async throws {
        let refusal = Scripted.Answer(status: 403, fields: ["WWW-Authenticate": #"Bearer error="insufficient_scope""#])
        try await Scripted.with(
            ["initialize": [Self.opened(), refusal], "tools/call a": [Scripted.Answer(status: 404)]], isGuarded: true
        ) { server in
            try await server.login(server.url)
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            let advice = try await bridge.line()
            #expect(advice.contains("`authorize login \(server.url) --no-browser`"), "\(advice)")
        }
    }

    @Test func `a stream that stays open after the response holds up nothing`() async throws {
        var (opened, called) = (Self.opened(), Scripted.Answer.events("data: \(Scripted.answer())\n\n"))
        opened = .events("data: \(opened.body)\n\n")
        (opened.staysOpen, called.staysOpen) = (true, true)
        try await Scripted.with(["initialize": [opened], "tools/call": [called]]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line() == Scripted.answer())
            #expect(try await bridge.result().status == 0)
        }
    }

    @Test func `a response that the opening waits for is sent, and a request waits for the opening`() async throws {
        let ping = #"{"jsonrpc":"2.0","id":9,"method":"ping"}"#
        var opening = Scripted.Answer.events("data: \(ping)\n\n")
        opening.staysOpen = true
        try await Scripted.with(["initialize": [opening]]) { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(BridgeTests.initialize)
            #expect(try await bridge.line() == ping)
            try bridge.say(Scripted.request("tools/call") + Scripted.answer(id: "9") + "\n")
            for kind in ["initialize", "response"] { #expect(try await server.seen().hasPrefix(kind)) }
            bridge.send(SIGTERM)
            #expect(await bridge.status() == -SIGTERM)
        }
    }

    @Test func `requests that wait do not hold up others`() async throws {
        let ids = (10..<30).map(String.init)
        let calls = Array(repeating: Scripted.Answer(hangs: true), count: ids.count)
        try await Scripted.with(["tools/call": calls]) { server in
            let bridge = try await server.bridge()
            try bridge.say(ids.map { Scripted.request("tools/call", id: $0) }.joined())
            for _ in ids { _ = try await server.seen("tools/call") }
            try bridge.say(Scripted.request("ping"))
            #expect(try await bridge.line().contains(#""id": 5"#))
            bridge.send(SIGTERM)
            #expect(await bridge.status() == -SIGTERM)
        }
    }

    @Test(arguments: [
        ("nonsense", -32700), ("{", -32700), ("[]", -32600), (#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32600),
        (#"{"id":1,"method":"a"}"#, -32600), (#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600),
    ])
    func `a line that is no message is answered, and not sent`(line: String, code: Int) async throws {
        try await Scripted.with { server in
            let bridge = try server.start("mcp", server.url)
            try bridge.say(line + "\n")
            try bridge.say(Scripted.request("ping"))
            let answers = try await [bridge.line(), bridge.line()]
            #expect(answers.contains { $0.contains(#""id":null"#) && $0.contains("\(code)") }, "\(answers)")
            #expect(try await server.seen().hasPrefix("ping"))
        }
    }

    @Test(arguments: [
        ("tools/call", #""name":"a""#, "a"), ("prompts/get", #""name":"=?a""#, "=?base64?PT9h?="),
        ("resources/read", #""uri":"file:///é""#, "=?base64?ZmlsZTovLy/DqQ==?="), ("tools/list", #""name":"a""#, ""),
    ]) func `a request that names its version has it, and what it is for, in its header fields`(
        method: String, parameter: String, target: String
    ) async throws {
        try await Scripted.with { server in
            let bridge = try server.start("mcp", server.url)
            let meta = #"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
            try bridge.say(
                #"{"jsonrpc":"2.0","id":5,"method":"\#(method)","params":{\#(parameter),"_meta":\#(meta)}}"# + "\n")
            let answer = try await bridge.line()
            let fields = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", target)]
            for (name, value) in fields where !value.isEmpty {
                #expect(answer.contains(#""\#(name)": "\#(value)""#), "\(answer)")
            }
            #expect(answer.contains("Mcp-Name") != target.isEmpty, "\(answer)")
        }
    }

    @Test func `a request that the client cancels is waited for no longer`() async throws {
        try await Scripted.with(["tools/call": [Scripted.Answer(hangs: true)]]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.request("tools/call", id: #""a""#))
            _ = try await server.seen("tools/call")
            try bridge.say(Scripted.cancellation(of: #""a""#))
            let result = try await bridge.result()
            #expect(result.status == 0 && !result.output.contains("error"), "\(result)")
            _ = try await server.seen("notifications/cancelled")
        }
    }
}
