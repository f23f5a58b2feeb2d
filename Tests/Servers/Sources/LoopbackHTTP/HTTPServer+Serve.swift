// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
public import FlyingFox
import FlyingSocks
public import Foundation

extension HTTPServer {
    /// Listens on 127.0.0.1 while the closure runs, and then closes all connections.
    ///
    /// On Linux FlyingFox 0.27 leaves one descriptor open per server: the `eventfd` that ends its wait. Of repeated
    /// header fields of a request it keeps only the last, so a handler cannot refuse a second `Authorization`.
    ///
    /// - Parameters:
    ///   - handler: answers the calls, without a time-out.
    ///   - port: the port, or 0 for any free one.
    ///   - body: gets the base URL, for instance `http://127.0.0.1:40123`.
    /// - Throws: the error of the closure, or the reason why the server cannot listen.
    public static func serve<Success>(
        _ handler: some HTTPHandler, port: UInt16 = 0, _ body: (URL) async throws -> Success
    ) async throws -> Success {
        // `.inet(ip4:)`: `.loopback` does not answer on 127.0.0.1 on Linux.
        let configuration = Configuration(
            address: try .inet(ip4: "127.0.0.1", port: port), timeout: 86400, logger: .disabled)
        let server = HTTPServer(config: configuration, handler: handler)
        return try await withThrowingTaskGroup { group in
            group.addTask { try await server.run() }
            group.addTask { try await server.waitUntilListening() }
            try await group.next()
            do {
                let success = try await body(try await server.baseURL)
                await server.stop()
                return success
            } catch {
                await server.stop()
                throw error
            }
        }
    }

    private var baseURL: URL {
        get throws {
            guard case .ip4(let host, let port) = listeningAddress, let url = URL(string: "http://\(host):\(port)")
            else { throw SocketError.unsupportedAddress }
            return url
        }
    }
}
#endif
