// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Sockets on loopback.
enum Sockets {
    /// Listens on any free port.
    static func listen() throws -> (socket: Int32, port: UInt16) {
        let socket = try make()
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && Foundation.listen(socket, 128) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard bound else { throw SystemError("listen on loopback") }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// Accepts a client.
    static func accept(_ listener: Int32) -> Int32? {
        let file = Foundation.accept(listener, nil, nil)
        guard file >= 0 else { return nil }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        return file
    }

    static func connect(port: UInt16) throws -> Int32 {
        let socket = try make()
        var address = address(port: port)
        let connected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Foundation.connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected else {
            let error = SystemError("connect to the server")
            close(socket)
            throw error
        }
        return socket
    }

    /// Blocks until data has arrived.
    ///
    /// - Returns: `nil` if the other side has closed the connection.
    static func read(_ file: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, Foundation.read(file, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// - Returns: whether all bytes were written.
    static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(file, buffer.baseAddress.map { $0 + sent }, buffer.count - sent)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    // MARK: -

    private static func make() throws -> Int32 {
        #if os(Linux)
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        let file = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard file >= 0 else { throw SystemError("socket") }
        return file
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
