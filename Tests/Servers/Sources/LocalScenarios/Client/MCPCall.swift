// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A request of a scenario, as its client sends it over streamable HTTP, without a credential.
public struct MCPCall: Sendable {
    public enum Outcome: Sendable {
        case answered
        /// The client must fail, or hand out the refusal.
        case refused
        case either
    }

    /// For instance `tools/list`.
    public let method: String
    public let request: URLRequest
    public let expected: Outcome
    /// Whether the fault of the metadata ends before this call.
    public let comesAfterHealing: Bool

    init(_ method: String, at url: URL, _ version: WireVersion, expected: Outcome = .answered, healed: Bool = false) {
        (self.method, self.expected, comesAfterHealing) = (method, expected, healed)
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        if method != "initialize" { request.setValue(version.rawValue, forHTTPHeaderField: "MCP-Protocol-Version") }
        if version == .july2026 {
            request.setValue(method, forHTTPHeaderField: "Mcp-Method")
            if method == "tools/call" { request.setValue("test-tool", forHTTPHeaderField: "Mcp-Name") }
        }
        // Strings, numbers and objects of these: this cannot fail.
        request.httpBody = try? JSONSerialization.data(withJSONObject: Self.message(method, version))
        self.request = request
    }

    private static func message(_ method: String, _ version: WireVersion) -> [String: Any] {
        let none: [String: Any] = [:]
        let client = ["name": "scenario-client", "version": "1"]
        var parameters: [String: Any] = method == "tools/call" ? ["name": "test-tool", "arguments": none] : [:]
        if method == "initialize" {
            parameters = ["protocolVersion": version.rawValue, "capabilities": none, "clientInfo": client]
        }
        if version == .july2026 {
            parameters["_meta"] = [
                "io.modelcontextprotocol/protocolVersion": version.rawValue,
                "io.modelcontextprotocol/clientCapabilities": none, "io.modelcontextprotocol/clientInfo": client,
            ]
        }
        var message: [String: Any] = ["jsonrpc": "2.0", "method": method, "params": parameters]
        if !method.hasPrefix("notifications/") { message["id"] = 1 }
        return message
    }
}

extension Scenario {
    /// What the client sends, in order.
    func calls(at url: URL, _ version: WireVersion, _ variant: Variant) -> [MCPCall] {
        func call(_ method: String, _ expected: MCPCall.Outcome = .answered, healed: Bool = false) -> MCPCall {
            MCPCall(method, at: url, version, expected: expected, healed: healed)
        }
        let handshake = version.handshake.map { call($0) }
        let tools =
            switch (variant, fault) {
            case (.earlierSession, .metadata):
                [call("tools/list"), call("tools/call", .either), call("tools/list", healed: true)]
            case (.earlierSession, _): [call("tools/list"), call("tools/call", .refused), call("tools/list")]
            case (.refusal, _), (_, .some): [call("tools/list", .refused)]
            default: [call("tools/list"), call("tools/call")]
            }
        return handshake + tools
    }
}
#endif
