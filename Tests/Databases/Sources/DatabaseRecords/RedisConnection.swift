// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection to a Redis server on this machine: RESP, version 2, one command at a time.
///
/// It is for tests. Use a client with TLS, authentication and a pool in your program.
public final class RedisConnection: Sendable {
    /// An answer of the server.
    public enum Reply: Sendable {
        case data(Data?)
        case number(Int)
        case status
    }

    /// The server has answered with an error.
    public struct ServerError: Error, CustomStringConvertible {
        public let text: String
        public var description: String { text }
    }

    /// The connection is lost.
    public struct Lost: Error {
        public init() {}
    }

    private let port: UInt16
    private let queue = DispatchQueue(label: "redis")
    private let socket: Socket

    public init(port: UInt16) {
        self.port = port
        socket = Socket()
    }

    /// Sends a command and waits for its answer. It connects if there is no connection.
    public func call(_ command: [Data]) async throws -> Reply {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [socket, port] in
                continuation.resume(with: Result { try socket.call(command, port: port) })
            }
        }
    }
}

/// `@unchecked Sendable` is safe: it is used on the queue of its connection only.
private final class Socket: @unchecked Sendable {
    private var descriptor: Int32 = -1
    private var received = Data()

    deinit { close() }

    func call(_ command: [Data], port: UInt16) throws -> RedisConnection.Reply {
        if descriptor < 0 { try connect(port: port) }
        do {
            var bytes = Data("*\(command.count)\r\n".utf8)
            for part in command { bytes += Data("$\(part.count)\r\n".utf8) + part + Data("\r\n".utf8) }
            try send(bytes)
            return try reply()
        } catch let error as RedisConnection.Lost {
            close()
            throw error
        }
    }

    private func connect(port: UInt16) throws {
        #if canImport(Glibc)
        descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                #if canImport(Glibc)
                Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
                #else
                Darwin.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
                #endif
            }
        }
        guard status == 0 else {
            close()
            throw RedisConnection.Lost()
        }
    }

    private func close() {
        if descriptor >= 0 { shutDown(descriptor) }
        (descriptor, received) = (-1, Data())
    }

    private func send(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw RedisConnection.Lost() }
            rest = rest.dropFirst(count)
        }
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { throw RedisConnection.Lost() }
        received.append(contentsOf: buffer[..<count])
    }

    private func reply() throws -> RedisConnection.Reply {
        let line = try line()
        let text = String(decoding: line.dropFirst(), as: UTF8.self)
        switch line.first {
        case UInt8(ascii: "+"): return .status
        case UInt8(ascii: ":"): return .number(Int(text) ?? 0)
        case UInt8(ascii: "$"):
            guard let count = Int(text), count >= 0 else { return .data(nil) }
            while received.count < count + 2 { try receive() }
            defer { received.removeFirst(count + 2) }
            return .data(Data(received.prefix(count)))
        default: throw RedisConnection.ServerError(text: text)
        }
    }

    private func line() throws -> Data {
        while true {
            if let end = received.range(of: Data("\r\n".utf8)) {
                defer { received.removeSubrange(..<end.upperBound) }
                return Data(received[..<end.lowerBound])
            }
            try receive()
        }
    }
}

private func shutDown(_ descriptor: Int32) { _ = close(descriptor) }
