// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport
import GRPCNIOTransportHTTP2Posix
import RequestAuthorizationGRPC

/// Unary calls with the interceptor against those with a constant credential, without and with the retry policy. What the
/// credential itself costs, which goes over the connection, is reported and not judged.
func measureGRPC(slowDown: Double?) async throws -> [Figure] {
    let server = GRPCServer(
        transport: .http2NIOPosix(address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext),
        services: [Echo()])
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.serve() }
        defer { server.beginGracefulShutdown() }
        guard let address = try await server.listeningAddress?.ipv4 else {
            throw BenchmarkError(description: "the server has no IPv4 address")
        }
        let plain = try await measureCalls(
            to: address.port, config: ServiceConfig(), name: "without retry policy", slowDown: slowDown)
        return try await plain
            + measureCalls(
                to: address.port, config: .retryingUnauthenticated, name: "with the retry policy", slowDown: slowDown)
            + [measureCredential(to: address.port)]
    }
}

/// Calls with a constant credential against those without any.
private func measureCredential(to port: Int) async throws -> Figure {
    try await withGRPCClient(transport: transport(to: port, ServiceConfig())) { client in
        try await Calls(
            "gRPC with a constant credential / without any",
            { try await Echo.call(Echo.bare, client, Echo.credential) },
            against: { try await Echo.call(Echo.bare, client) }
        ).atOnce(bound: nil).measure()
    }
}

/// Both use one connection. Of two connections, one might share its thread with the server and the other not.
private func measureCalls(
    to port: Int, config: ServiceConfig, name: String, slowDown: Double?
) async throws -> [Figure] {
    let interceptor = AuthorizationInterceptor(Fixture.auth, origin: "http://127.0.0.1")
    return try await withGRPCClient(
        transport: transport(to: port, config),
        interceptorPipeline: [.apply(interceptor, to: .methods([Echo.authorized]))]
    ) { client in
        try await Calls(
            "gRPC with the interceptor / without, \(name)", { try await Echo.call(Echo.authorized, client) },
            against: { try await Echo.call(Echo.bare, client, Echo.credential) }
        ).measure(slowDown: slowDown)
    }
}

private func transport(to port: Int, _ config: ServiceConfig) throws -> HTTP2ClientTransport.Posix {
    try HTTP2ClientTransport.Posix(
        target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext, serviceConfig: config)
}

private struct Echo: RegistrableRPCService {
    // Of equal length, because it goes over the connection.
    static let authorized = MethodDescriptor(fullyQualifiedService: "benchmark.Echo", method: "GetA")
    static let bare = MethodDescriptor(fullyQualifiedService: "benchmark.Echo", method: "GetB")
    static let message = [UInt8](repeating: 7, count: 100)
    /// What the interceptor adds.
    static let credential: Metadata = ["authorization": "\(LongToken().authorizationHeaderValue)"]

    /// A call that loses its message is made again: with a retry policy, grpc-swift-2 loses one in some millions
    /// (Documentation/Guide/GRPC.md).
    static func call(
        _ method: MethodDescriptor, _ client: GRPCClient<HTTP2ClientTransport.Posix>, _ metadata: Metadata = [:]
    ) async throws {
        do {
            try await send(method, client, metadata)
        } catch let error as RPCError where error.message == "Empty stream." {
            try await send(method, client, metadata)
        }
    }

    private static func send(
        _ method: MethodDescriptor, _ client: GRPCClient<HTTP2ClientTransport.Posix>, _ metadata: Metadata
    ) async throws {
        try await client.unary(
            request: ClientRequest(message: message, metadata: metadata), descriptor: method, serializer: Bytes(),
            deserializer: Bytes(), options: .defaults
        ) { _ = try $0.message }
    }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        for method in [Self.authorized, Self.bare] {
            router.registerHandler(forMethod: method, deserializer: Bytes(), serializer: Bytes()) { request, _ in
                let request = try await ServerRequest(stream: request)
                return StreamingServerResponse(single: ServerResponse(message: request.message))
            }
        }
    }
}

private struct Bytes: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
        bytes.withUnsafeBytes { Array($0) }
    }
}
#endif
