// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
import Foundation

/// A client on loopback that sends exactly the bytes that it is given.
package struct RawConnection: Sendable {
    private let socket: AsyncSocket

    /// The limit for connecting in seconds, long enough for a busy machine.
    private static let patience = 300.0

    /// - Parameter host: an IP address, without brackets.
    package static func open(host: String = "127.0.0.1", port: UInt16) async throws -> RawConnection {
        let socket: AsyncSocket =
            host.contains(":")
            ? try await .connected(to: sockaddr_in6.inet6(ip6: host, port: port), timeout: patience)
            : try await .connected(to: sockaddr_in.inet(ip4: host, port: port), timeout: patience)
        return RawConnection(socket: socket)
    }

    /// The port of this end.
    package var port: UInt16 {
        get throws {
            guard let port = try socket.socket.sockname().port else { throw SocketError.unsupportedAddress }
            return port
        }
    }

    package func send(_ text: String) async throws { try await socket.write(Data(text.utf8)) }

    /// Reads until the server closes the connection.
    package func rest() async throws -> String {
        var bytes: [UInt8] = []
        do {
            while true { bytes += try await socket.read(atMost: 4096) }
        } catch SocketError.disconnected {
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    package func close() throws { try socket.close() }
}

/// The text of an answer.
package struct RawAnswer: Sendable, Equatable {
    package let head: String
    package let body: String

    package init(_ text: String) {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex(of: "") ?? lines.endIndex
        head = lines[..<end].joined(separator: "\r\n")
        body = lines[end...].dropFirst().joined(separator: "\r\n")
    }

    /// 0 if the server did not answer.
    package var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

    /// The value of a field. Case is ignored in names.
    package subscript(field: String) -> String? {
        let prefix = field.lowercased() + ":"
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
        return line.map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
    }
}
#endif
