// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import TestServers
import Testing

/// The bridge, with servers that do not do what is usual.
@Suite(.enabled(if: Scripted.isThere), .timeLimit(.minutes(5)))
struct BridgeScriptTests {
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func `one signal ends a bridge that waits`(signal: Int32) async throws {
        try await Scripted.with(["GET": [Scripted.Answer(hangs: true)]]) { server in
            let bridge = try await server.bridge()
            try bridge.say(Scripted.notification("notifications/initialized"))
            _ = try await server.seen("GET")
            bridge.send(signal)
            #expect(await bridge.status() == -signal)
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
            #expect(advice.contains("`authorize login \(server.url) --scope read --scope write`"), "\(advice)")
            try await server.login(server.url, "--scope", "read", "--scope", "write")
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await bridge.line().contains(#""result""#))
            // It learns of the sign-in by a refusal.
            for token in ["t1", "t1", "t2"] {
                #expect(try await server.seen("tools/call") == "tools/call - Bearer \(token)")
            }
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
            _ = try await bridge.error(with: "asks for a new sign-in")
            try bridge.say(Scripted.request("tools/call"))
            #expect(try await server.seen("GET").hasPrefix("GET - DPoP "))
        }
    }
}
