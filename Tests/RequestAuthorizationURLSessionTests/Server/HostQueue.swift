// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking) && Full
import Foundation
import FoundationNetworking
import LoopbackServer
import TestProviders
import Testing

@testable import RequestAuthorizationURLSession

/// A session with one connection per host, which a test can take.
struct HostQueue {
    let session = Self.session(connections: 1)
    /// The number of requests that had to wait.
    let waits = Tally()

    init() { Carrier.of(session).slots.onWait { [waits] in waits.add() } }

    static func session(connections: Int) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        return URLSession(configuration: configuration)
    }

    /// Takes the only slot of a server, so that later requests are queued.
    func occupy(_ server: RawServer) throws -> ConnectionSlots {
        let slots = Carrier.of(session).slots
        try #require(slots.takeAtOnce(at: try host(server), limit: 1))
        return slots
    }

    func host(_ server: RawServer) throws -> Origin { try #require(Origin(server.url("/"))) }

    /// - Returns: the status.
    func post(
        _ url: URL, _ auth: any AuthorizationProvider, _ connection: ConnectionUse = .automatic
    ) async throws -> Int {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        let (_, response) = try await session.data(for: request, authorizedBy: auth, connection: connection)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }
}
#endif
