// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
import Foundation

/// Ports for servers that cannot choose one themselves.
package enum FreePort {
    /// A port on which nothing listens now. Linux does not give it to anybody else soon.
    package static func find() throws -> UInt16 {
        let socket = try Socket(domain: AF_INET, type: .stream)
        defer { try? socket.close() }
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
        guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.unsupportedAddress }
        return port
    }
}
#endif
