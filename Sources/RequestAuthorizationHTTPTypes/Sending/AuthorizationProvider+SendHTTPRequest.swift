// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
/// For clients that return a response of swift-http-types beside its body.
extension AuthorizationProvider {
    /// Authorizes and sends a request. After a 401 it tells the provider and sends the request again.
    ///
    ///     let (response, body) = try await auth.send(request) { try await next($0, nil) }
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - refreshCount: the highest number of retries after a 401.
    ///   - isReplayable: whether the separate body can be sent again. By default only a request without a body can.
    ///   - transport: sends a request and returns the response, whatever its status, and its body.
    /// - Returns: the last response. A 401 is a response, not an error, unless the session is over.
    /// - Throws: what the provider and the transport throw.
    public func send<Body>(
        _ request: HTTPRequest, refreshCount: Int = 1, isReplayable: Bool? = nil,
        transport: nonisolated(nonsending) (HTTPRequest) async throws -> (HTTPResponse, Body)
    ) async throws -> (HTTPResponse, Body) {
        try await send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { $0.0 },
            discard: { _ in }, transport: transport)
    }

    /// Does the same for clients that return the body first, as `URLSession` does.
    public func send<Body>(
        _ request: HTTPRequest, refreshCount: Int = 1, isReplayable: Bool? = nil,
        transport: nonisolated(nonsending) (HTTPRequest) async throws -> (Body, HTTPResponse)
    ) async throws -> (Body, HTTPResponse) {
        try await send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { $0.1 },
            discard: { _ in }, transport: transport)
    }
}
#endif
