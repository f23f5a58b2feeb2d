// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorizationOAuth
@testable import ToolInputs

extension Target {
    /// What git writes to its helper.
    static let git = Target("git", shapes: ["protocol=https\n", "a=b\n", "capability[]=x\n", "=", "\n", "a", "\r\n"]) {
        input in
        // A carriage return and a line feed are one character.
        let asked = GitCredential(input.text.split { $0 == "\n" || $0 == "\r\n" }.map { String($0) })
        guard let url = asked.url else { return }
        // By bytes: a host that begins with a combining mark makes one character with the "/" before it.
        claim(["https://", "http://"].contains { url.utf8.starts(with: $0.utf8) }, "another scheme")
        claim(!url.utf8.contains(UInt8(ascii: "\n")), "a line break")
        let lines = asked.answer(OAuthToken(accessToken: "t", expiresAt: .distantFuture))
        claim(lines.allSatisfy { !$0.utf8.contains(UInt8(ascii: "\n")) }, "a line break in the answer")
    }

    /// What kubectl writes into the environment.
    static let kubectl = Target("kubectl", shapes: jsonShapes) { input in
        guard let version = ExecCredential.version(info: input.text) else { return }
        claim(ExecCredential.known.contains(version), "an unknown version")
    }

    /// A message of an MCP client, and the events of its server.
    static let mcp = Target("mcp", shapes: jsonShapes + ["data: a\n", "data\n\n", "id: 1\n\n", ":", "\r\n", "\r"]) {
        input in
        let message = Message(input.text)
        claim(message.id == nil || message.method != nil, "a response is answered")
        var parser = EventStream()
        for byte in input {
            guard let event = parser.read(byte) else { continue }
            claim(!event.isEmpty || input.contains(UInt8(ascii: "d")), "an event without data")
        }
    }
}
