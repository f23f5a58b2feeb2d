// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession

/// A service that talks to a server over a real socket.
struct TokenServer {
    let server: RawServer
    let clock = ManualClock()

    /// Runs a server that answers each request with the next of these answers, and then always with the last one.
    static func run<Result: Sendable>(
        _ answers: Answer..., body: (TokenServer) async throws -> Result
    ) async throws -> Result {
        let next = Lock(answers)
        return try await withServer { _ in
            next.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .silence }
        } body: {
            try await body(TokenServer(server: $0))
        }
    }

    var base: String { "http://127.0.0.1:\(server.port)" }

    func service(
        _ client: OAuthClient = .public(id: "tool"), quirks: ServerQuirks = ServerQuirks(),
        change: (inout AuthorizationServer) -> Void = { _ in }
    ) -> OAuthTokenService {
        var server = AuthorizationServer.make(at: base, quirks: quirks)
        change(&server)
        return .authorizationCode(server: server, client: client, transport: .patient, clock: clock)
    }

    /// The bodies of all requests, as text.
    var bodies: [String] { get async { await server.requests.map(\.text) } }
}

extension Answer {
    static func json(_ text: String, status: Int = 200, _ fields: (String, String)...) -> Answer {
        let lines = ([("Content-Type", "application/json")] + fields).map { "\($0.0): \($0.1)\r\n" }.joined()
        return raw("HTTP/1.1 \(status) Status\r\n\(lines)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
}
#endif
