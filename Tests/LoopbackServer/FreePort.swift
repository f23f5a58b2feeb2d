// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
import Foundation

/// Ports for servers that cannot choose one themselves.
package enum FreePort {
    /// A port on which nothing listens now. It is none of those that the system gives to servers that ask for any (32768 and
    /// higher), so that no other test gets it before it is used.
    package static func find() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: 15_000..<32_000)
            let socket = try Socket(domain: AF_INET, type: .stream)
            defer { try? socket.close() }
            try socket.setValue(true, for: .localAddressReuse)
            do { try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: port)) } catch { continue }
            return port
        }
        throw SocketError.unsupportedAddress
    }
}
#endif
