// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A reserved port without a listener, which refuses all connections.
///
///     try await withHeldPort { port in
///         await #expect(throws: URLError.self) { try await session.data(from: port.url("/")) }
///     }
///
/// The system gives it to no other socket that asks for any free port. On Linux a server can still listen on it if it
/// asks for this port and sets `SO_REUSEADDR`. The port is released on deinitialization.
package final class HeldPort: Sendable {
    package let number: UInt16
    private let sockets: [BoundSocket]

    /// - Parameter hosts: the IP addresses on which the port is reserved.
    /// - Throws: `POSIXError` if the machine lacks an address.
    package init(on hosts: [String] = ["127.0.0.1"]) throws {
        // The system chooses for the first host; on another one that port may be taken.
        while true {
            do {
                var sockets: [BoundSocket] = []
                for host in hosts { sockets.append(try BoundSocket(host: host, port: sockets.first?.port() ?? 0)) }
                number = try sockets.first?.port() ?? 0
                self.sockets = sockets
                return
            } catch let error as POSIXError where error.code == .EADDRINUSE {}
        }
    }

    package func url(_ path: String, scheme: String = "http") -> URL { URL(on: Int(number), path, scheme: scheme) }
}

extension URL {
    /// A URL of a server on this machine.
    init(on port: Int, _ path: String, host: String = "127.0.0.1", scheme: String = "http") {
        guard let url = URL(string: "\(scheme)://\(host):\(port)\(path)") else { preconditionFailure(path) }
        self = url
    }
}

/// Reserves a port while the body runs.
package func withHeldPort<Result: Sendable>(
    on hosts: [String] = ["127.0.0.1"], body: (HeldPort) async throws -> Result
) async throws -> Result {
    let port = try HeldPort(on: hosts)
    defer { withExtendedLifetime(port) {} }
    return try await body(port)
}

/// A socket that is bound and does not listen.
private final class BoundSocket: Sendable {
    private let file: CInt

    init(host: String, port: UInt16) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &addresses) == 0, let address = addresses?.pointee else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(addresses) }
        file = try Self.call { socket(address.ai_family, Self.stream, 0) }
        do {
            var yes: CInt = 1
            _ = try Self.call { setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size)) }
            _ = try Self.call { bind(file, address.ai_addr, address.ai_addrlen) }
        } catch {
            close(file)
            throw error
        }
    }

    deinit { close(file) }

    func port() throws -> UInt16 {
        // The port is at the same place in `sockaddr_in` and `sockaddr_in6`.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = try Self.call {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(file, $0, &length) }
            }
        }
        return UInt16(bigEndian: address.sin6_port)
    }

    private static func call(_ body: () -> CInt) throws -> CInt {
        let result = body()
        guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return result
    }

    #if canImport(Glibc)
    private static let stream = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif
}
