// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
public import HTTPTypes
public import RequestAuthorization

/// For clients that return a response of swift-http-types beside its body.
extension AuthorizationProvider {
    /// Authorizes a request, sends it, and after a 401 tells the provider and sends it again.
    ///
    ///     let (response, body) = try await auth.send(request) { try await next($0, nil) }
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - isReplayable: whether the body, which the client carries beside the request, can be sent again. By default only what
    ///     shows no sign of a body is.
    ///   - transport: sends a request and returns the response, whatever its status, and its body.
    /// - Returns: the last response. A 401 that ends no session is a response too, not an error.
    /// - Throws: what the provider and the transport throw.
    public func send<Body>(
        _ request: HTTPRequest, refreshCount: Int = 1, isReplayable: Bool? = nil,
        transport: (HTTPRequest) async throws -> (HTTPResponse, Body)
    ) async throws -> (HTTPResponse, Body) {
        try await send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { $0.0 }, transport: transport)
    }

    /// The same for clients that name the body first, as `URLSession` does.
    public func send<Body>(
        _ request: HTTPRequest, refreshCount: Int = 1, isReplayable: Bool? = nil,
        transport: (HTTPRequest) async throws -> (Body, HTTPResponse)
    ) async throws -> (Body, HTTPResponse) {
        try await send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { $0.1 }, transport: transport)
    }
}
#endif
