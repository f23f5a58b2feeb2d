// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
import Foundation

/// The bytes of a request.
package struct RawRequest: Sendable {
    /// The text before the empty line.
    package let head: String
    /// The body, without chunk sizes.
    package let body: [UInt8]
    /// The number of the connection, from 1.
    package let connection: Int

    package var lines: [String] { head.components(separatedBy: "\r\n") }
    package var method: String { lines[0].components(separatedBy: " ")[0] }
    package var target: String { lines[0].components(separatedBy: " ").dropFirst().first ?? "" }
    /// The port that the client called.
    package var port: String { String(self["Host"]?.split(separator: ":").last ?? "") }
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a header field in order, one for each line. Case is ignored in names.
    package func values(of field: String) -> [String] {
        lines.dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == field.lowercased() else { return nil }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
    }

    /// The value of a field, or `nil` if there is none. Several values are joined with `AND`, to make the test fail.
    package subscript(field: String) -> String? {
        let values = values(of: field)
        return values.isEmpty ? nil : values.joined(separator: " AND ")
    }
}

/// Reads requests from a connection.
struct RequestReader {
    let socket: AsyncSocket
    let connection: Int
    private var buffer: [UInt8] = []

    init(socket: AsyncSocket, connection: Int) { (self.socket, self.connection) = (socket, connection) }

    /// Returns the next request with its body, or `nil` if the client has closed the connection.
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
