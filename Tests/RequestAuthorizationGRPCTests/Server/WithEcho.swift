// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import GRPCNIOTransportHTTP2Posix
import RequestAuthorizationGRPC
import Testing

/// Runs the service on a port of 127.0.0.1, without TLS, and a client that is authorized by the provider.
func withEcho<Result: Sendable>(
    _ service: EchoService, _ provider: some AuthorizationProvider, origin: Origin = "http://127.0.0.1",
    config: ServiceConfig = .retryingUnauthenticated, body: (Client) async throws -> Result
) async throws -> Result {
    try await withEcho(
        service, interceptors: [AuthorizationInterceptor(provider, origin: origin)], config: config, body: body)
}

func withEcho<Result: Sendable>(
    _ service: EchoService, interceptors: [any ClientInterceptor], config: ServiceConfig = .retryingUnauthenticated,
    body: (Client) async throws -> Result
) async throws -> Result {
    let server = GRPCServer(
        transport: .http2NIOPosix(address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext),
        services: [service])
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.serve() }
        defer { server.beginGracefulShutdown() }
        let address = try #require(try await server.listeningAddress?.ipv4)
        let transport = try HTTP2ClientTransport.Posix(
            target: .ipv4(address: address.host, port: address.port), transportSecurity: .plaintext,
            serviceConfig: config)
        return try await withGRPCClient(transport: transport, interceptors: interceptors) { try await body($0) }
    }
}
#endif
