// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
public import AsyncHTTPClient
public import Logging
public import NIOCore
public import RequestAuthorization

/// `HTTPClient`'s own function with a credential: authorize, send, and after a 401 refresh once and send again.
///
///     let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30), authorizedBy: auth)
///
/// - The time is for the whole call: waiting for a token, both tries, and what lies between them.
/// - The body of a 401 that nobody will see is read to its end, so that its connection serves again, unless it is long or slow.
///   A 401 that is returned is returned whole.
/// - A redirect to another origin is followed without credential, and a 401 from there causes no refresh. The client takes
///   only `Authorization`, `Cookie` and `Proxy-Authorization` off by itself. If a provider sets any other field (an API key,
///   `DPoP`), nothing is sent, unless `clientFollowsRedirects` says that the client follows none.
extension HTTPClient {
    /// Authorizes a request, sends it, and returns the answer as soon as its head is there.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - timeout: how long the whole call may take, until the head of the last response.
    ///   - logger: handed on to the client.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - isReplayable: whether the body can be sent again. By default what is known of it: none, and bytes in memory can; a
    ///     stream cannot, and its 401 is returned.
    ///   - clientFollowsRedirects: `false` only for a client that was made with `redirectConfiguration: .disallow`.
    /// - Returns: the response. A 401 that ends no session is a response too, not an error.
    /// - Throws: what the provider throws (`NotAuthorized`, `RefreshFailed`), what the client throws (`HTTPClientError`, with
    ///   `.deadlineExceeded` when the time is over, errors of the network), `CancellationError`; `NotAuthorized` with the
    ///   reason `redirectsFollowed` as said above.
    public func execute(
        _ request: HTTPClientRequest, timeout: TimeAmount, logger: Logger? = nil,
        authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1, isReplayable: Bool? = nil,
        clientFollowsRedirects: Bool = true
    ) async throws -> HTTPClientResponse {
        try await execute(
            request, deadline: .now() + timeout, logger: logger, authorizedBy: provider, refreshCount: refreshCount,
            isReplayable: isReplayable, clientFollowsRedirects: clientFollowsRedirects)
    }

    /// Authorizes a request, sends it, and returns the answer as soon as its head is there.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - deadline: when the head of the last response must be there.
    ///   - logger: handed on to the client.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - isReplayable: whether the body can be sent again; by default what is known of it.
    ///   - clientFollowsRedirects: `false` only for a client that was made with `redirectConfiguration: .disallow`.
    /// - Returns: the response, whatever its status.
    /// - Throws: what ``execute(_:timeout:logger:authorizedBy:refreshCount:isReplayable:clientFollowsRedirects:)`` throws.
    public func execute(
        _ request: HTTPClientRequest, deadline: NIODeadline, logger: Logger? = nil,
        authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1, isReplayable: Bool? = nil,
        clientFollowsRedirects: Bool = true
    ) async throws -> HTTPClientResponse {
        try await AuthorizedExecution(
            client: self, deadline: deadline, logger: logger, clientFollowsRedirects: clientFollowsRedirects
        ).send(request, authorizedBy: provider, refreshCount: refreshCount, isReplayable: isReplayable)
    }
}
#endif
