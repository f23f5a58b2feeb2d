// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import FlyingFox
import FlyingSocks
public import Foundation

extension HTTPServer {
    /// Listens on 127.0.0.1 as long as the closure runs, then ends all connections.
    ///
    /// FlyingFox 0.27 leaves one descriptor open on Linux, the `eventfd` that ends its wait, with each server that has ended.
    ///
    /// - Parameters:
    ///   - handler: answers the calls; none is ended by a time-out.
    ///   - port: any free one if 0.
    ///   - body: gets the base of all addresses, for instance `http://127.0.0.1:40123`.
    /// - Throws: what the closure throws, or what kept the server from listening.
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
