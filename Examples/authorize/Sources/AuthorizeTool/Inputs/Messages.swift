// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth

/// A message of JSON-RPC, as much of it as the bridge needs; or several in one line, a batch.
struct Message {
    private struct Face: Decodable {
        let jsonrpc: String
        let id: ID?
        let method: String?
    }

    /// A text or a number (JSON-RPC 2.0 §4). Lists in lists would occupy a decoder, which cannot be cancelled, for long.
    private struct ID: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            if (try? single.decode(String.self)) == nil { _ = try single.decode(Double.self) }
            value = try single.decode(JSONValue.self)
        }
    }

    let line: String
    /// The method of the first request or notification.
    let method: String?
    /// The ids of the requests.
    let requests: [JSONValue]
    /// The ids of the responses.
    let responses: [JSONValue]
    let isOfJSONRPC: Bool

    init(_ line: String) {
        let (decoder, data) = (JSONDecoder(), Data(line.utf8))
        let single = try? decoder.decode(Face.self, from: data)
        let faces = single.map { [$0] } ?? (try? decoder.decode([Face].self, from: data)) ?? []
        (self.line, isOfJSONRPC) = (line, !faces.isEmpty && faces.allSatisfy { $0.jsonrpc == "2.0" })
        method = faces.lazy.compactMap(\.method).first
        requests = faces.filter { $0.method != nil }.compactMap(\.id?.value)
        responses = faces.filter { $0.method == nil }.compactMap(\.id?.value)
    }

    /// A message of a server. Line breaks between the parts of JSON become spaces.
    init(_ bytes: some Sequence<UInt8>) {
        self.init(String(validating: bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self) ?? "")
    }

    /// The id of the first request. A response of the client has an id too, and is not answered.
    var id: JSONValue? { requests.first }

    /// The id of a request that stands alone. No client cancels a list of them.
    var call: JSONValue { requests.count == 1 ? requests[0] : .array(requests) }

    /// The id of the request that the client cancels.
    var cancelled: JSONValue? { method == "notifications/cancelled" ? parameters?.requestId : nil }

    /// The header fields of a request that names its version itself (MCP of 2026-07-28, Request Metadata).
    var fields: [(name: String, value: String)] {
        guard let method, let parameters, case .object(let meta)? = parameters._meta,
            case .string(let version)? = meta["io.modelcontextprotocol/protocolVersion"]
        else { return [] }
        var fields = [(name: "MCP-Protocol-Version", value: version), (name: "Mcp-Method", value: method)]
        let target = method == "resources/read" ? parameters.uri : parameters.name
        if ["tools/call", "prompts/get", "resources/read"].contains(method), case .string(let name)? = target {
            let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !name.hasPrefix("=?")
            let value = isPlain ? name : "=?base64?\(Data(name.utf8).base64EncodedString())?="
            fields.append((name: "Mcp-Name", value: value))
        }
        return fields
    }

    private struct Call: Decodable {
        struct Parameters: Decodable { let requestId: JSONValue?, name: JSONValue?, uri: JSONValue?, _meta: JSONValue? }
        let params: Parameters
    }

    private var parameters: Call.Parameters? { (try? JSONDecoder().decode(Call.self, from: Data(line.utf8)))?.params }

    var isJSON: Bool { (try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))) != nil }
}

/// Server-sent events (HTML Living Standard §9.2.6) over several connections, and the pauses between these.
struct EventStream {
    /// How many bytes an event may have, and an answer without events.
    static let longest = 64 << 20

    var longest = Self.longest
    /// The id of the last event, for `Last-Event-ID`.
    private(set) var lastID: String?
    /// How long the server wants a client to wait before the next connection.
    private(set) var retry: Duration?
    /// Connections in a row that brought nothing.
    private var failures = 0
    /// How long connections were open since the last one that brought something.
    private var silence = Duration.zero

    /// What `Retry-After` says; `nil` before the first connection.
    private var least: Duration?
    private var line: [UInt8] = []
    /// The data of the event so far.
    private var data: [UInt8] = []
    private var id: String?
    private var isFirstLine = true
    /// A line feed after a carriage return belongs to it.
    private var wasReturn = false

    /// Before the next connection: doubled with each failure, up to a minute, unless the server asks for more.
    var pause: Duration {
        guard let least else { return .zero }
        let first = max(retry ?? .seconds(1), .milliseconds(1))
        let doubled = first * (1 << min(max(failures - 1, 0), 16))
        return min(max(min(doubled, .seconds(60)), retry ?? .zero, least), .seconds(600))
    }

    /// Whether a request waits no longer: five short connections brought nothing, or an hour did.
    var isSilent: Bool { failures >= 5 || silence >= .seconds(3600) }

    /// Begins a connection, without an event that the last one left unfinished. One that brings nothing is a failure.
    mutating func begin() {
        fail()
        (line, data, id, isFirstLine, wasReturn) = ([], [], lastID, true, false)
    }

    /// Ends a connection. One that was open for long was only quiet: what the server sends in a long pause may be lost.
    mutating func end(after duration: Duration) {
        if failures > 0 { silence += duration }
        if duration > .seconds(30) { failures = min(failures, 1) }
    }

    mutating func fail(_ retryAfter: String? = nil) {
        failures += 1
        least = .seconds(retryAfter.flatMap { UInt32($0) } ?? 0)
    }

    /// - Returns: the data of the events that end here; `nil` if one is too long.
    mutating func read(_ chunk: some Sequence<UInt8>) -> [[UInt8]]? {
        (failures, silence) = (0, .zero)
        let events = chunk.compactMap { read($0) }
        return line.count + data.count <= longest ? events : nil
    }

    /// Reads a byte, and returns the data of the event that it ends.
    mutating func read(_ byte: UInt8) -> [UInt8]? {
        defer { wasReturn = byte == 0x0D }
        if byte == 0x0A, wasReturn { return nil }
        if byte == 0x0A || byte == 0x0D { return endLine() }
        line.append(byte)
        return nil
    }

    /// An empty line ends an event. One without data has an id at most.
    private mutating func endLine() -> [UInt8]? {
        defer { (line, isFirstLine) = ([], false) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        guard !line.isEmpty else {
            defer { data = [] }
            lastID = id
            return data.isEmpty ? nil : data.dropLast()
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data": data += value + [0x0A]
        // A control character cannot be sent back.
        case "id" where value.allSatisfy { $0 >= 0x20 && $0 != 0x7F }: id = text.isEmpty ? nil : text
        case "retry": retry = UInt32(text).map { .milliseconds($0) } ?? retry
        default: break
        }
        return nil
    }
}
