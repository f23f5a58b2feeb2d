// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import GRPCNIOTransportHTTP2Posix
import RequestAuthorizationGRPC

typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

/// The four kinds of calls.
enum Way: String, CaseIterable {
    case unary, serverStreaming, clientStreaming, bidirectional

    var method: MethodDescriptor { MethodDescriptor(fullyQualifiedService: "test.Echo", method: rawValue) }

    /// The messages that a call of this kind sends here.
    var messages: [Message] {
        switch self {
        case .unary, .serverStreaming: [Message("hello")]
        case .clientStreaming, .bidirectional: [Message("one"), Message("two"), Message("three")]
        }
    }

    /// The messages that the server returns.
    var answer: [Message] {
        switch self {
        case .unary, .bidirectional: messages
        case .serverStreaming: Message("hello").map { [$0] }
        case .clientStreaming: [Message("onetwothree")]
        }
    }

    /// Makes a call and returns the messages of the server.
    func call(
        _ client: Client, metadata: Metadata = [:], options: CallOptions = .defaults
    ) async throws -> [Message] {
        try await call(client, messages, metadata: metadata, options: options)
    }

    func call(
        _ client: Client, _ messages: [Message], metadata: Metadata = [:], options: CallOptions = .defaults
    ) async throws -> [Message] {
        let request = StreamingClientRequest<Message>(metadata: metadata) { writer in
            for message in messages { try await writer.write(message) }
        }
        switch self {
        case .unary:
            return try await client.unary(
                request: ClientRequest(message: messages[0], metadata: metadata), descriptor: method,
                serializer: Bytes(), deserializer: Bytes(), options: options
            ) { [try $0.message] }
        case .serverStreaming:
            return try await client.serverStreaming(
                request: ClientRequest(message: messages[0], metadata: metadata), descriptor: method,
                serializer: Bytes(), deserializer: Bytes(), options: options
            ) { try await $0.messages.reduce(into: []) { $0.append($1) } }
        case .clientStreaming:
            return try await client.clientStreaming(
                request: request, descriptor: method, serializer: Bytes(), deserializer: Bytes(), options: options
            ) { [try $0.message] }
        case .bidirectional:
            return try await stream(client, request, options: options)
        }
    }

    /// A call in both directions with a producer of the test.
    func stream(
        _ client: Client, _ request: StreamingClientRequest<Message>, options: CallOptions = .defaults
    ) async throws -> [Message] {
        try await client.bidirectionalStreaming(
            request: request, descriptor: method, serializer: Bytes(), deserializer: Bytes(), options: options
        ) { try await $0.messages.reduce(into: []) { $0.append($1) } }
    }
}
#endif
