// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport
import Foundation
import RequestAuthorizationAsyncHTTPClient

/// In sequence and in one thread, which takes nearly the same instructions each time although the client and the server
/// have threads of their own.
func compareAsyncHTTPClient() async throws -> [Comparison] {
    [try await calls(of: .shared).inSequence(batch: 400, rounds: 100, on: .shared)]
}

/// 64 at a time.
func measureAsyncHTTPClient(slowDown: Double?) async throws -> [Figure] {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let figure = try await calls(of: client).atOnce().measure(slowDown: slowDown)
    try await client.shutdown()
    return [figure]
}

/// `execute(_:timeout:authorizedBy:)` against `execute(_:timeout:)` with a constant header field, the body read each time.
private func calls(of client: HTTPClient) async throws -> Calls {
    let request = try HTTPClientRequest(url: Fixture.server().url("/v1/widgets?page=1").absoluteString)
    let constant = try await request.authorized(using: Fixture.auth)
    return Calls(
        "execute(authorizedBy:) / execute",
        {
            let response = try await client.execute(request, timeout: .seconds(30), authorizedBy: Fixture.auth)
            _ = try await response.body.collect(upTo: 1 << 10)
        },
        against: {
            let response = try await client.execute(constant, timeout: .seconds(30))
            _ = try await response.body.collect(upTo: 1 << 10)
        })
}
#endif
