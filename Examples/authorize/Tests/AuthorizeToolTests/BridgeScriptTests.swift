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
}
