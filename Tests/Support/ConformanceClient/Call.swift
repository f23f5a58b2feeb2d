// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A message of the Model Context Protocol over streamable HTTP.
struct Call {
    let method: String

    /// The version in which each request stands alone.
    private static let stateless = "2026-07-28"

    /// The messages of every scenario, in order. A client stops at the first one that fails.
    static func all(of version: String) -> [Call] {
        let handshake = version < stateless ? ["initialize", "notifications/initialized"] : []
        return (handshake + ["tools/list", "tools/call"]).map(Call.init)
    }

    func request(to url: URL, _ version: String, _ session: String?) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        if method != "initialize" { request.setValue(version, forHTTPHeaderField: "MCP-Protocol-Version") }
        if let session { request.setValue(session, forHTTPHeaderField: "Mcp-Session-Id") }
        if version >= Self.stateless {
            request.setValue(method, forHTTPHeaderField: "Mcp-Method")
            if method == "tools/call" { request.setValue("test-tool", forHTTPHeaderField: "Mcp-Name") }
        }
        // Strings, numbers and objects of these: this cannot fail.
        request.httpBody = try? JSONSerialization.data(withJSONObject: message(version))
        return request
    }

    private func message(_ version: String) -> [String: Any] {
        let none: [String: Any] = [:]
        let client = ["name": "conformance-client", "version": "1"]
        var parameters: [String: Any] = method == "tools/call" ? ["name": "test-tool", "arguments": none] : [:]
        if method == "initialize" {
            parameters = ["protocolVersion": version, "capabilities": none, "clientInfo": client]
        }
        if version >= Self.stateless {
            parameters["_meta"] = [
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": none, "io.modelcontextprotocol/clientInfo": client,
            ]
        }
        var message: [String: Any] = ["jsonrpc": "2.0", "method": method, "params": parameters]
        if !method.hasPrefix("notifications/") { message["id"] = 1 }
        return message
    }
}
#endif
