// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
import GRPCCore
import RequestAuthorization

/// Watches an accepted call for a refusal at its end: a token may expire while a stream runs.
///
/// The call is not retried, because messages have been handed out. The next call gets a new credential.
struct WatchedParts<Message: Sendable>: AsyncSequence, Sendable {
    typealias Element = StreamingClientResponse<Message>.Contents.BodyPart

    let parts: RPCAsyncSequence<Element, any Error>
    let call: CallMetadata

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(parts: parts.makeAsyncIterator(), call: call)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: RPCAsyncSequence<Element, any Error>.AsyncIterator
        let call: CallMetadata

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            do {
                return try await parts.next(isolation: actor)
            } catch let refusal as RPCError where refusal.code == .unauthenticated {
                throw await call.target.told(of: refusal, for: call)
            }
        }

        mutating func next() async throws -> Element? { try await next(isolation: nil) }
    }
}
#endif
