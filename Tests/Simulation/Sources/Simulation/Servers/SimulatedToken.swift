// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import RequestAuthorization
import SimulationCheck

/// The token of the simulated server.
struct SimulatedToken: AuthorizationToken, Codable {
    var access: String
    var refresh: String
    var expiresAt: Date

    var authorizationHeaderValue: String { "Bearer \(access)" }
}

/// The service of a process: the library's JSON endpoint over the simulated network.
struct SimulatedService: RefreshableTokenService {
    private struct Body: Decodable {
        let access_token: String
        let refresh_token: String
        let expires_in: Double
    }

    private struct Transport: TokenTransport {
        let network: Network
        let process: SimulatedProcess

        func send(_ request: TokenRequest) async throws -> TokenResponse {
            let fields = try JSONDecoder().decode([String: String].self, from: Data(request.body))
            if let user = fields["user"] { return try await network.send(.signIn(user: user), from: process) }
            if let text = fields["revoke"] { return try await network.send(.revoke(text), from: process) }
            return try await network.send(.refresh(fields["refresh_token"] ?? ""), from: process)
        }
    }

    private let endpoint: JSONTokenEndpoint

    init(_ network: Network, _ process: SimulatedProcess, _ clock: SimulatedClock) {
        guard let url = URL(string: "https://login.example/token") else { preconditionFailure("a URL") }
        endpoint = JSONTokenEndpoint(url, transport: Transport(network: network, process: process), clock: clock)
    }

    func refresh(_ token: SimulatedToken) async throws -> SimulatedToken {
        try await self.token(["refresh_token": token.refresh])
    }

    func signIn(_ user: String) async throws -> SimulatedToken { try await token(["user": user]) }

    func discard(_ token: SimulatedToken) async { try? await revoke(token) }

    func revoke(_ token: SimulatedToken) async throws {
        let _: JSONTokenAnswer<[String: String]> = try await endpoint.post(["revoke": token.refresh])
    }

    private func token(_ fields: [String: String]) async throws -> SimulatedToken {
        let answer: JSONTokenAnswer<Body> = try await endpoint.post(fields)
        return SimulatedToken(
            access: answer.body.access_token, refresh: answer.body.refresh_token,
            expiresAt: answer.sentAt.addingTimeInterval(answer.body.expires_in))
    }
}
