// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
import Foundation

/// A request as it came over the wire.
package struct RawRequest: Sendable {
    /// Everything up to the empty line, which is not part of it.
    package let head: String
    /// The body, without the lengths of its chunks.
    package let body: [UInt8]
    /// The number of the connection, from 1.
    package let connection: Int

    package var lines: [String] { head.components(separatedBy: "\r\n") }
    package var method: String { lines[0].components(separatedBy: " ")[0] }
    package var target: String { lines[0].components(separatedBy: " ").dropFirst().first ?? "" }
    /// The port that the client called.
    package var port: String { String(self["Host"]?.split(separator: ":").last ?? "") }
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a header field in order, one a line, names compared without case.
    package func values(of field: String) -> [String] {
        lines.dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == field.lowercased() else { return nil }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
    }

    /// The only value of a field; `nil` if there is none, and all of them joined if there are several.
    package subscript(field: String) -> String? {
        let values = values(of: field)
        return values.isEmpty ? nil : values.joined(separator: " AND ")
    }
}

/// Cuts what comes in on a connection into requests.
struct RequestReader {
    let socket: AsyncSocket
    let connection: Int
    private var buffer: [UInt8] = []

    init(socket: AsyncSocket, connection: Int) {
        self.socket = socket
        self.connection = connection
    }

    /// The next request, body included; `nil` if the client has gone.
    mutating func next() async throws -> RawRequest? {
        do {
            let head = String(decoding: try await read(through: [13, 10, 13, 10]).dropLast(4), as: UTF8.self)
            let request = RawRequest(head: head, body: [], connection: connection)
            if request["Expect"] != nil { try await socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            var body: [UInt8] = []
            if let length = request["Content-Length"].flatMap({ Int($0) }) {
                body = try await read(count: length)
            } else if request["Transfer-Encoding"] == "chunked" {
                body = try await readChunks()
            }
            return RawRequest(head: head, body: body, connection: connection)
        } catch SocketError.disconnected {
            return nil
        }
    }

    private mutating func readChunks() async throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let size = String(decoding: try await read(through: [13, 10]).dropLast(2), as: UTF8.self)
            let chunk = try await read(count: (Int(size, radix: 16) ?? 0) + 2).dropLast(2)
            if chunk.isEmpty { return body }
            body += chunk
        }
    }

    private mutating func read(through mark: [UInt8]) async throws -> [UInt8] {
        var checked = 0
        while true {
            while checked + mark.count <= buffer.count {
                if buffer[checked..<checked + mark.count].elementsEqual(mark) { return take(checked + mark.count) }
                checked += 1
            }
            buffer += try await socket.read(atMost: 4096)
        }
    }

    private mutating func read(count: Int) async throws -> [UInt8] {
        while buffer.count < count { buffer += try await socket.read(atMost: 4096) }
        return take(count)
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }
}
#endif
