// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
public import Logging

/// Adds authorization to `HTTPClient`: authorize, send, and after a 401 refresh once and send again.
///
///     let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30), authorizedBy: auth)
///
/// - The timeout is for the whole call: waiting for a token, both tries, and the refresh between them.
/// - Before a retry, the body of the 401 is read to its end, so that the connection can be used again. A long or slow
///   body is dropped instead. A 401 that is returned has its body.
/// - A redirect to another origin is followed without credential, and a 401 from there causes no refresh. The client
///   itself removes only `Authorization`, `Cookie` and `Proxy-Authorization`. If a provider sets any other field (an
///   API key, `DPoP`), nothing is sent, unless you pass `clientFollowsRedirects: false`.
extension HTTPClient {
    /// Authorizes and sends a request, and returns the response as soon as its head has arrived.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - timeout: how long the whole call may take, until the head of the last response.
    ///   - logger: passed to the client.
    ///   - provider: adds the credential, and is told of a 401.
    ///   - refreshCount: the highest number of retries after a 401.
    ///   - isReplayable: whether the body can be sent again. By default a body in memory can; a stream's 401 is
    ///     returned.
    ///   - clientFollowsRedirects: `false` only for a client that was made with `redirectConfiguration: .disallow`.
    /// - Returns: the response. A 401 is a response, not an error, unless the session is over.
    /// - Throws: what the provider throws (`NotAuthorized`, `RefreshFailed`), what the client throws
    ///   (`HTTPClientError`, with `.deadlineExceeded` after the timeout, errors of the network), `CancellationError`;
    ///   `NotAuthorized` with the reason `redirectsFollowed` if another origin might get the credential, or did.
    public func execute(
        _ request: HTTPClientRequest, timeout: TimeAmount, logger: Logger? = nil,
        authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1, isReplayable: Bool? = nil,
        clientFollowsRedirects: Bool = true
    ) async throws -> HTTPClientResponse {
        try await AuthorizedExecution(
            client: self, deadline: .now() + timeout, logger: logger, clientFollowsRedirects: clientFollowsRedirects
        ).send(request, authorizedBy: provider, refreshCount: refreshCount, isReplayable: isReplayable)
    }

    /// Authorizes and sends a request; the head of the last response must arrive before the deadline.
    ///
    /// All else is as in ``execute(_:timeout:logger:authorizedBy:refreshCount:isReplayable:clientFollowsRedirects:)``.
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
