// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationAsyncHTTPClient
import TestProviders

/// Runs the body with a new client, and shuts it down.
func withClient<Result: Sendable>(
    on eventLoops: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
    redirects: HTTPClient.Configuration.RedirectConfiguration? = nil, connections: Int = 8,
    body: (HTTPClient) async throws -> Result
) async throws -> Result {
    var configuration = HTTPClient.Configuration(redirectConfiguration: redirects)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    configuration.connectionPool.retryConnectionEstablishment = false
    // Also how long a request may queue for a connection: longer than any machine is busy.
    configuration.timeout.connect = .seconds(300)
    let client = HTTPClient(eventLoopGroup: eventLoops, configuration: configuration)
    do {
        let result = try await body(client)
        try await client.shutdown()
        return result
    } catch {
        try await client.shutdown()
        throw error
    }
}

extension HTTPClient {
    /// Sends with a provider that has nothing to hide, and joins the pieces of the answer.
    func received(
        _ request: HTTPClientRequest, authorizedBy provider: any AuthorizationProvider = CountingProvider(),
        refreshCount: Int = 1, isReplayable: Bool? = nil, clientFollowsRedirects: Bool = true
    ) async throws -> Received {
        let response = try await execute(
            request, timeout: .seconds(300), authorizedBy: provider, refreshCount: refreshCount,
            isReplayable: isReplayable, clientFollowsRedirects: clientFollowsRedirects)
        return try await Received(Int(response.status.code), String(buffer: response.body.collect(upTo: 1 << 20)))
    }
}

/// The response: the status, and the body as text.
struct Received: Equatable {
    let status: Int
    let body: String

    init(_ status: Int, _ body: String) { (self.status, self.body) = (status, body) }
}

extension HTTPClientRequest {
    static func get(_ url: URL) -> HTTPClientRequest { HTTPClientRequest(url: url.absoluteString) }

    static func post(_ url: URL, _ body: Body?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .POST
        request.body = body
        return request
    }
}
#endif
