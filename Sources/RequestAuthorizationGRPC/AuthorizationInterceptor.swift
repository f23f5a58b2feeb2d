// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
/// Puts the credential of a provider into the metadata of every call, and lets gRPC retry a refused call.
///
///     let client = GRPCClient(
///         transport: try .http2NIOPosix(
///             target: .dns(host: "api.example.com"), transportSecurity: .tls,
///             serviceConfig: .retryingUnauthenticated),
///         interceptors: [AuthorizationInterceptor(auth, origin: "https://api.example.com")])
///
/// When a server answers `UNAUTHENTICATED`, the provider is told. gRPC then retries the call with a new credential if
///
/// - the call's policy allows it (`ServiceConfig.retryingUnauthenticated`), and
/// - its messages can be replayed: the answer began with the refusal, and at most the 64 messages that gRPC keeps
///   were sent.
///
/// In all other cases the caller gets the server's status, and the next call gets a new credential. But a young token that
/// is refused when gRPC has repeated the call stays in use; the refusal of the next call begins a refresh. If only the
/// proof of a bound token was refused, a second retry may follow. A retry after another status, such as `UNAVAILABLE`,
/// is bound to no session: it gets the credential of whoever is signed in then.
///
/// If the refresh fails, or the task is cancelled meanwhile, the caller gets the error of a call that was not made. That
/// is `.unavailable` with a `RefreshFailed` as its cause, for instance. It has the metadata of the answer.
///
/// `grpc-retry-pushback-ms` in the error's metadata is `0` if the provider has a new credential or can get one, else
/// `-1`. If the session is over, the `cause` of the error is a `NotAuthorized`, for each call of that session.
/// Put the interceptor last in the list: those after it see the credential.
public struct AuthorizationInterceptor: ClientInterceptor {
    private let target: CallTarget

    /// Creates an interceptor for the calls to one server.
    ///
    /// - Parameters:
    ///   - provider: authorizes the calls.
    ///   - origin: the server, which a gRPC call does not name. `https` states that the transport uses TLS; the
    ///     interceptor cannot check that. An `http` origin is refused unless it is loopback, or the provider allows
    ///     it by name with `restricted(to:allowingPlaintext:)`.
    public init(_ provider: some AuthorizationProvider, origin: Origin) {
        target = CallTarget(provider: provider, origin: origin)
    }

    /// Makes the call with a credential.
    ///
    /// - Parameters:
    ///   - request: the call, whose metadata get the credential.
    ///   - context: names the service and the method, for proofs that sign the URI.
    ///   - next: makes the call.
    /// - Returns: the server's response, also a refusal. If the refresh failed, it has the error of a call that was not made.
    /// - Throws: an `RPCError` if the call was not made: `.unauthenticated` with a `NotAuthorized` as its cause,
    ///   `.unavailable` with a `RefreshFailed`, `.cancelled` with a `CancellationError`. Other errors of the provider
    ///   are thrown as they are. A refusal by the server is a response, not an error.
    public func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingClientRequest<Input>, context: ClientContext,
        next: @concurrent (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
    ) async throws -> StreamingClientResponse<Output> {
        let call = try await target.authorize(request.metadata, context.descriptor)
        var request = request
        request.metadata = call.metadata
        var response = try await next(request, context)
        switch response.accepted {
        case .failure(let refusal) where refusal.code == .unauthenticated:
            response.accepted = .failure(await target.judge(refusal, of: call))
        case .failure(let error):
            // Without metadata it is not known whether a server has answered.
            if call.credential.wantsEveryAnswer, !error.metadata.isEmpty {
                _ = try? await call.credential.judge(AnswerMetadata(metadata: error.metadata))
            }
        case .success(var contents):
            if call.credential.wantsEveryAnswer {
                _ = try? await call.credential.judge(AnswerMetadata(metadata: contents.metadata))
            }
            contents.bodyParts = RPCAsyncSequence(wrapping: WatchedParts(parts: contents.bodyParts, call: call))
            response.accepted = .success(contents)
        }
        return response
    }
}

extension AuthorizationInterceptor: OwnDescription {
    @usableFromInline package var ownDescription: String { "AuthorizationInterceptor(\(target.origin))" }
}

/// Watches an accepted call for a refusal at its end: a token may expire while a stream runs.
///
/// The call is not retried, because messages have been handed out. The next call gets a new credential.
struct WatchedParts<Message: Sendable>: AsyncSequence, Sendable {
    typealias Element = StreamingClientResponse<Message>.Contents.BodyPart

    let parts: RPCAsyncSequence<Element, any Error>
    let call: CallMetadata

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts.makeAsyncIterator(), call: call) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: RPCAsyncSequence<Element, any Error>.AsyncIterator
        let call: CallMetadata

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            do {
                return try await parts.next(isolation: actor)
            } catch let refusal as RPCError where refusal.code == .unauthenticated {
                throw await call.target.judge(refusal, of: call, isRepeated: false)
            }
        }

        mutating func next() async throws -> Element? { try await next(isolation: nil) }
    }
}
#else
@available(
    *, unavailable,
    message: "AuthorizationInterceptor needs grpc-swift-2: enable the trait 'GRPC' of swift-request-authorization"
)
public struct AuthorizationInterceptor: Sendable {
    public init(_ provider: some AuthorizationProvider, origin: Origin) {}
}
#endif
