// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A server on 127.0.0.1 that answers with the bytes of a script, and records every request.
///
/// It blocks one thread for each connection, so that it needs no library. Of HTTP it knows where a request ends.
final class ProbeServer: Sendable {
    enum Answer: Sendable {
        /// Sent before the next request of the connection is read.
        case bytes([UInt8])
        /// Sent before the connection is closed.
        case cutOff([UInt8])
        /// Sent, and then more of the same until the client leaves, or a thousand times.
        case endless([UInt8])
        /// Sent, and then nothing until the client leaves.
        case held([UInt8])
        /// Sent, and then a byte each 0.2 s until the client leaves.
        case dribble([UInt8])

        /// Nothing is sent until the client leaves.
        static var silence: Answer { .held([]) }
    }

    private struct State {
        var requests: [ProbeRequestMessage] = []
        var connections: Set<CInt> = []
        var isOver = false
    }

    let port: UInt16
    private let listener: CInt
    private let answer: @Sendable (ProbeRequestMessage) -> Answer
    private let state = Lock(State())

    /// Starts to listen on a free port.
    ///
    /// - Throws: `POSIXError`.
    init(_ answer: @escaping @Sendable (ProbeRequestMessage) -> Answer) throws {
        (listener, port) = try Self.boundSocket()
        self.answer = answer
        guard listen(listener, 128) == 0 else { throw Self.failure(closing: listener) }
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// The requests in order of arrival.
    var requests: [ProbeRequestMessage] { state.withLock { $0.requests } }

    func url(_ target: String) -> URL { Self.url(target, on: port) }

    static func url(_ target: String, on port: UInt16) -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(target)") else { fatalError("no URL: \(target)") }
        return url
    }

    /// Ends the server and all its connections.
    func stop() {
        state.withLock { state in
            state.isOver = true
            for connection in state.connections { shutdown(connection, CInt(SHUT_RDWR)) }
        }
        // Wakes the thread that accepts connections.
        if let (last, _) = try? Self.boundSocket() {
            _ = unsafe Self.withAddress(port: port) { unsafe connect(last, $0, $1) }
            close(last)
        }
    }

    /// Performs a body with a port that refuses connections.
    static func withClosedPort<Result>(_ body: (UInt16) async throws -> Result) async throws -> Result {
        // A bound socket that does not listen: nobody else can get the port.
        let (socket, port) = try boundSocket()
        defer { close(socket) }
        return try await body(port)
    }

    // MARK: - Connections

    private func acceptConnections() {
        defer { close(listener) }
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0, [EINTR, ECONNABORTED].contains(errno) { continue }
            guard connection >= 0 else { return }
            let isOver = state.withLock { state in
                if !state.isOver { state.connections.insert(connection) }
                return state.isOver
            }
            guard !isOver else {
                close(connection)
                return
            }
            Thread.detachNewThread { [self] in serve(connection) }
        }
    }

    private func serve(_ connection: CInt) {
        #if canImport(Darwin)
        var on: CInt = 1
        unsafe setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
        #endif
        defer {
            state.withLock { state in
                state.connections.remove(connection)
                close(connection)
            }
        }
        var bytes: [UInt8] = []
        while let request = Self.next(of: connection, &bytes) {
            state.withLock { $0.requests.append(request) }
            switch answer(request) {
            case .bytes(let answer): guard Self.write(answer, to: connection) else { return }
            case .cutOff(let answer):
                _ = Self.write(answer, to: connection)
                return
            case .endless(let answer):
                for _ in 0...1000 { guard Self.write(answer, to: connection) else { return } }
                return
            case .held(let answer):
                _ = Self.write(answer, to: connection)
                while Self.read(from: connection, &bytes) {}
            case .dribble(let answer):
                var part = answer
                while Self.write(part, to: connection) {
                    part = [42]
                    Thread.sleep(forTimeInterval: 0.2)
                }
                return
            }
        }
    }

    /// Reads a request; `nil` if the client has left.
    private static func next(of connection: CInt, _ bytes: inout [UInt8]) -> ProbeRequestMessage? {
        while true {
            if let request = ProbeRequestMessage(takenFrom: &bytes) { return request }
            guard read(from: connection, &bytes) else { return nil }
        }
    }

    private static func read(from connection: CInt, _ bytes: inout [UInt8]) -> Bool {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe recv(connection, &part, part.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            bytes += part[..<count]
            return true
        }
    }

    private static func write(_ bytes: [UInt8], to connection: CInt) -> Bool {
        #if canImport(Darwin)
        let flags: CInt = 0
        #else
        let flags = CInt(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe send(connection, $0.baseAddress, $0.count, flags) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: - Sockets

    /// - Returns: a socket with a port of its own on 127.0.0.1.
    private static func boundSocket() throws -> (socket: CInt, port: UInt16) {
        #if canImport(Glibc)
        let made = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        let made = socket(AF_INET, CInt(SOCK_STREAM), 0)
        #endif
        guard made >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        guard unsafe withAddress(port: 0, { unsafe bind(made, $0, $1) }) == 0 else { throw failure(closing: made) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(made, $0, &length) }
        }
        guard status == 0 else { throw failure(closing: made) }
        return (made, UInt16(bigEndian: address.sin_port))
    }

    private static func withAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func failure(closing socket: CInt) -> POSIXError {
        defer { close(socket) }
        return POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}

extension ProbeServer.Answer {
    /// An answer that ends with its length.
    static func whole(_ status: Int, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []) -> Self {
        let length = status == 204 ? [] : [(name: "Content-Length", value: "\(body.count)")]
        return .bytes(head(status, fields + length) + body)
    }

    static func head(_ status: Int, _ fields: [(name: String, value: String)] = []) -> [UInt8] {
        Array("HTTP/1.1 \(status) Probe\r\n\(fields.map { "\($0.name): \($0.value)\r\n" }.joined())\r\n".utf8)
    }
}

/// A request as it arrived.
struct ProbeRequestMessage: Sendable {
    /// The first line.
    let line: String
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    /// Takes the first request out of the bytes that have arrived; `nil` if it is not whole.
    init?(takenFrom bytes: inout [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let start = bytes.firstRange(of: end) else { return nil }
        let lines = String(decoding: bytes[..<start.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        line = lines[0]
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        let rest = bytes[start.upperBound...]
        // Not read as `Int`: a negative length would end the process.
        let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { UInt32($0.value) }
        if let length {
            guard rest.count >= Int(length) else { return nil }
            body = Array(rest.prefix(Int(length)))
            bytes = Array(rest.dropFirst(Int(length)))
        } else if fields.contains(where: { $0.name.lowercased() == "transfer-encoding" }) {
            guard let chunks = Self.chunks(of: rest) else { return nil }
            body = chunks.body
            bytes = Array(chunks.rest)
        } else {
            body = []
            bytes = Array(rest)
        }
    }

    func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Joins the chunks of a body; `nil` if the last one is missing.
    private static func chunks(of bytes: ArraySlice<UInt8>) -> (body: [UInt8], rest: ArraySlice<UInt8>)? {
        let line = Array("\r\n".utf8)
        var (body, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
        while let end = rest.firstRange(of: line) {
            let length = String(decoding: rest[..<end.lowerBound], as: UTF8.self).prefix { $0 != ";" }
            rest = rest[end.upperBound...]
            guard let count = UInt32(length, radix: 16), rest.count >= Int(count) + 2 else { return nil }
            body += rest.prefix(Int(count))
            rest = rest.dropFirst(Int(count) + 2)
            if count == 0 { return (body, rest) }
        }
        return nil
    }
}
