// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport
import Foundation

/// A server on loopback that answers each request with the same bytes. It has a thread per connection, and runs until
/// the process ends.
///
/// A request ends with an empty line.
struct ConstantServer: Sendable {
    private let port: UInt16

    init(answer: String) throws {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let listener = try Self.call("socket") { socket(AF_INET, stream, 0) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            _ = try Self.call("bind") { bind(listener, address, length) }
            _ = try Self.call("listen") { listen(listener, 128) }
            _ = try Self.call("getsockname") { getsockname(listener, address, &length) }
        }
        port = UInt16(bigEndian: address.sin_port)
        let answer = Array(answer.utf8)
        Thread.detachNewThread {
            while let connection = try? Self.call("accept", { accept(listener, nil, nil) }) {
                Thread.detachNewThread { Self.serve(connection, answer) }
            }
        }
    }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    // MARK: -

    private static func serve(_ connection: Int32, _ answer: [UInt8]) {
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var end: [UInt8] = []
        while true {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            end = (end + buffer[..<count]).suffix(4)
            guard end == [13, 10, 13, 10] else { continue }
            guard write(connection, answer, answer.count) == answer.count else { return }
        }
    }

    private static func call(_ name: String, _ body: () -> Int32) throws -> Int32 {
        let result = body()
        if result < 0 { throw BenchmarkError(description: "\(name): \(String(cString: strerror(errno)))") }
        return result
    }
}
#endif
