// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The clients over which token endpoints are called.
enum TransportName: String, CaseIterable, Codable {
    case urlSession, asyncHTTPClient

    /// Runs the body with a new client.
    func lend<Result: Sendable>(body: (any TokenTransport) async throws -> Result) async throws -> Result {
        switch self {
        case .urlSession:
            return try await body(URLSession(configuration: .default))
        case .asyncHTTPClient:
            var configuration = HTTPClient.Configuration()
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.timeout.connect = .seconds(300)
            // One event loop, so that a request goes over the connection that an earlier one left.
            let loop = HTTPClient.defaultEventLoopGroup.any()
            let client = HTTPClient(eventLoopGroup: loop, configuration: configuration)
            do {
                let result = try await body(client)
                try await client.shutdown()
                return result
            } catch {
                try await client.shutdown()
                throw error
            }
        }
    }

    /// Sends with five minutes in place of the default, which a busy machine may use up.
    func send(_ request: TokenRequest) async throws -> TokenResponse {
        var patient = request
        if request.timeout == TokenRequest(url: request.url).timeout { patient.timeout = .seconds(300) }
        return try await lend { [patient] in try await $0.send(patient) }
    }

    func error(of request: TokenRequest) async -> TokenTransportError? {
        await #expect(throws: TokenTransportError.self) { try await send(request) }
    }
}
#endif
