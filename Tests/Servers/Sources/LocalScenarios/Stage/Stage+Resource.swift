// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

extension Stage {
    /// Answers for the resource, or `nil` if the path is none of its own.
    func resourceAnswer(_ call: Call) -> Answer? {
        switch call.path {
        case "/mcp": mcpAnswer(call)
        case "/heal": healAnswer()
        case scenario.resource.metadataPath: resourceMetadata(call)
        case ResourceConduct.rootPath where scenario.resource.trapsRootMetadata: rootMetadataTrap()
        default: nil
        }
    }

    private func healAnswer() -> Answer {
        heal()
        return Answer(status: 204)
    }

    private func rootMetadataTrap() -> Answer {
        violate("prm-priority", "the root's metadata were requested although the challenge names others")
        return .notFound
    }

    /// RFC 9728 §3.2.
    private func resourceMetadata(_ call: Call) -> Answer {
        record.events.append(.init(kind: .resourceMetadata, role: .resource))
        var members: [String: Any] = ["resource": identifier, "authorization_servers": [namedIssuer]]
        members["scopes_supported"] = scenario.resource.scopesSupported
        members["bearer_methods_supported"] = ["header"]
        return .json(members)
    }

    /// The resource's identifier, as its metadata state it.
    var identifier: String {
        switch scenario.resource.identifier {
        case .origin: bases[.resource, default: ""]
        case .other(let other) where !isHealed: other
        case .own, .other: url
        }
    }

    private var namedIssuer: String {
        let isFalse = if case .other = scenario.resource.identifier { !isHealed } else { false }
        return servers[hasMoved || isFalse ? 1 : 0].issuer
    }

    // MARK: Calls

    private func mcpAnswer(_ call: Call) -> Answer {
        guard call.method == "POST" else { return Answer(status: 405, fields: ["Allow": "POST"]) }
        guard let object = call.object, let method = object["method"] as? String else {
            violate("wire", "a POST has no JSON-RPC message")
            return Answer(status: 400)
        }
        if let refusal = wireRefusal(call, object, method) { return refusal }
        let isHandshake = method == "initialize" || method == "server/discover" || method.hasPrefix("notifications/")
        if isHandshake && scenario.resource.hasOpenHandshake { return result(method, object, family: nil) }
        switch admit(call, method) {
        case .refused(let answer):
            record.events.append(.init(kind: .call, role: .resource, method: method, isGood: false))
            return answer
        case .admitted(let token):
            if scenario.resource.moves { hasMoved = true }
            return result(method, object, family: token.family)
        }
    }

    private func result(_ method: String, _ object: [String: Any], family: String?) -> Answer {
        var event = Record.Event(kind: .call, role: .resource, method: method)
        event.family = family
        record.events.append(event)
        guard let id = object["id"] else { return Answer(status: 202) }
        var result: [String: Any] =
            switch method {
            case "initialize":
                [
                    "protocolVersion": version.rawValue, "capabilities": ["tools": [:] as [String: Any]],
                    "serverInfo": ["name": "scenario", "version": "1"],
                ]
            case "server/discover": ["supportedVersions": [version.rawValue], "capabilities": [:] as [String: Any]]
            case "tools/list": ["tools": [["name": "test-tool", "inputSchema": ["type": "object"]] as [String: Any]]]
            default: ["content": [["type": "text", "text": "test"]]]
            }
        if version == .july2026 {
            result["resultType"] = "complete"
            if method != "tools/call" { result.merge(["ttlMs": 0, "cacheScope": "private"]) { $1 } }
        }
        return .json(["jsonrpc": "2.0", "id": id, "result": result])
    }

    /// What the version of the protocol asks of each request.
    private func wireRefusal(_ call: Call, _ object: [String: Any], _ method: String) -> Answer? {
        func refuse(_ reason: String) -> Answer {
            violate("wire", "\(method): \(reason)")
            let error: [String: Any] = ["code": -32600, "message": reason]
            return .json(["jsonrpc": "2.0", "id": object["id"] ?? NSNull(), "error": error], status: 400)
        }
        let accepted = call.fields["accept"] ?? ""
        guard accepted.contains("application/json"), accepted.contains("text/event-stream") else {
            return refuse("Accept does not name application/json and text/event-stream")
        }
        let stated = call.fields["mcp-protocol-version"]
        guard version == .july2026 else {
            return method == "initialize" || stated == version.rawValue ? nil : refuse("no MCP-Protocol-Version")
        }
        let meta = (object["params"] as? [String: Any])?["_meta"] as? [String: Any]
        guard stated == version.rawValue,
            meta?["io.modelcontextprotocol/protocolVersion"] as? String == version.rawValue,
            meta?["io.modelcontextprotocol/clientCapabilities"] != nil
        else { return refuse("the header field or `_meta` does not state the version") }
        return method == "initialize" ? refuse("there is no handshake in this version") : nil
    }
}
#endif
