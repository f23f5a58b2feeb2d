// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationGRPC

/// Echoes messages, or refuses the call as the test says, and records the calls.
final class EchoService: RegistrableRPCService {
    /// A call as it arrived.
    struct Call: Sendable {
        let way: Way
        let metadata: Metadata
        var messages: [Message] = []

        /// All values of `authorization`, joined.
        var credential: String { Array(metadata[stringValues: "authorization"]).joined(separator: ",") }

        /// All values of `dpop`, joined.
        var proof: String { Array(metadata[stringValues: "dpop"]).joined(separator: ",") }
    }

    /// When a call is refused.
    enum Refusal: Sendable {
        case atOnce(RPCError = .unauthenticated())
        case afterMessages(Int, RPCError = .unauthenticated())
        /// After messages have been returned: the server had accepted the call.
        case afterEcho(RPCError = .unauthenticated())
    }

    private let received = Lock<[Call]>([])
    private let refusal: @Sendable (Call) async throws -> Refusal?

    /// The fields in the answers to accepted calls.
    private let news: Metadata

    /// - Parameters:
    ///   - news: the fields in the answers to accepted calls.
    ///   - refusal: looks at a call before its messages; `nil` lets it through.
    init(news: Metadata = [:], refusal: @escaping @Sendable (Call) async throws -> Refusal? = { _ in nil }) {
        self.news = news
        self.refusal = refusal
    }

    /// Accepts calls with one of the credentials, for instance `Bearer a`.
    convenience init(accepting credentials: String..., otherwise refusal: Refusal = .atOnce()) {
        self.init { credentials.contains($0.credential) ? nil : refusal }
    }

    /// The calls in order of arrival.
    var calls: [Call] { received.withLock { $0 } }

    /// Forgets the calls that have ended.
    func forget() { received.withLock { $0 = [] } }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        for way in Way.allCases {
            router.registerHandler(
                forMethod: way.method, deserializer: Bytes(), serializer: Bytes()
            ) { request, _ in
                try await self.answer(Call(way: way, metadata: request.metadata), request.messages)
            }
        }
    }

    private func answer(
        _ call: Call, _ messages: RPCAsyncSequence<Message, any Error>
    ) async throws -> StreamingServerResponse<Message> {
        let number = received.withLock { calls in
            calls.append(call)
            return calls.count - 1
        }
        switch try await refusal(call) {
        case .atOnce(let error): throw error
        case .afterMessages(let count, let error):
            var left = count
            for try await message in messages where left > 0 {
                received.withLock { $0[number].messages.append(message) }
                left -= 1
                if left == 0 { break }
            }
            throw error
        case .afterEcho(let error):
            return echo(messages, of: call.way, number) { throw error }
        case nil:
            return echo(messages, of: call.way, number) {}
        }
    }

    private func echo(
        _ messages: RPCAsyncSequence<Message, any Error>, of way: Way, _ number: Int,
        end: @escaping @Sendable () throws -> Void
    ) -> StreamingServerResponse<Message> {
        StreamingServerResponse(metadata: news) { writer in
            var whole: Message = []
            for try await message in messages {
                self.received.withLock { $0[number].messages.append(message) }
                switch way {
                case .serverStreaming: for byte in message { try await writer.write([byte]) }
                case .clientStreaming: whole += message
                case .unary, .bidirectional: try await writer.write(message)
                }
            }
            if way == .clientStreaming { try await writer.write(whole) }
            try end()
            return [:]
        }
    }
}

extension RPCError {
    static func unauthenticated(_ fields: (String, String)...) -> RPCError { unauthenticated(fields) }

    static func unauthenticated(_ fields: [(String, String)]) -> RPCError {
        var metadata: Metadata = [:]
        for (name, value) in fields { metadata.addString(value, forKey: name) }
        return RPCError(code: .unauthenticated, message: "no", metadata: metadata)
    }

    /// The interceptor's advice to the retry policy.
    var pushback: [String] { Array(metadata[stringValues: "grpc-retry-pushback-ms"]) }
}
#endif
