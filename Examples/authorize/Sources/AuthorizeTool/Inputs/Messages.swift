// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth

/// A message of an MCP client, as much of it as the bridge needs.
struct Message {
    struct Face: Decodable {
        let id: JSONValue?
        let method: String?
    }

    let line: String
    let id: JSONValue?
    let method: String?

    init(_ line: String) {
        let face = try? JSONDecoder().decode(Face.self, from: Data(line.utf8))
        // A response of the client has an id and no method, and is not answered.
        (self.line, method) = (line, face?.method)
        id = method == nil ? nil : face?.id
    }
}

/// Reads server-sent events (HTML Living Standard §9.2.6) byte by byte.
struct EventParser {
    struct Event: Hashable {
        var id: String?
        var data: [UInt8] = []
    }

    private var line: [UInt8] = []
    private var event = Event()
    /// A line feed after a carriage return belongs to it.
    private var wasReturn = false

    /// Reads a byte, and returns the event that it ends.
    mutating func read(_ byte: UInt8) -> Event? {
        defer { wasReturn = byte == 0x0D }
        if byte == 0x0A, wasReturn { return nil }
        if byte == 0x0A || byte == 0x0D { return endLine() }
        line.append(byte)
        return nil
    }

    /// An empty line ends an event. One without data is none.
    private mutating func endLine() -> Event? {
        defer { line = [] }
        guard !line.isEmpty else {
            defer { event = Event(id: event.id) }
            return event.data.isEmpty ? nil : Event(id: event.id, data: Array(event.data.dropLast()))
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data": event.data += value + [0x0A]
        case "id": event.id = String(decoding: value, as: UTF8.self)
        default: break
        }
        return nil
    }
}
