// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport
import Foundation
import RequestAuthorizationAsyncHTTPClient

/// `execute(_:timeout:authorizedBy:)` against `execute(_:timeout:)` with a constant header field, the body read each time.
func measureAsyncHTTPClient(slowDown: Double?) async throws -> [Figure] {
    let server = try Fixture.server()
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let request = try HTTPClientRequest(url: server.url("/v1/widgets?page=1").absoluteString)
    let constant = try await request.authorized(using: Fixture.auth)
    let calls = Calls(
        "execute(authorizedBy:) / execute",
        {
            let response = try await client.execute(request, timeout: .seconds(30), authorizedBy: Fixture.auth)
            _ = try await response.body.collect(upTo: 1 << 10)
        },
        against: {
            let response = try await client.execute(constant, timeout: .seconds(30))
            _ = try await response.body.collect(upTo: 1 << 10)
        })
    let figures = try await calls.measure(slowDown: slowDown)
    try await client.shutdown()
    return figures
}
#endif
