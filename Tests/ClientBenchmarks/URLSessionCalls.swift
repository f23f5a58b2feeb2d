// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import BenchmarkSupport
import Foundation
import LoopbackServer
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `data(for:authorizedBy:)` against `data(for:)` with a constant header field.
func measureURLSession() async throws -> [Figure] {
    let server = try Fixture.server()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    let session = URLSession(configuration: configuration)
    let request = URLRequest(url: server.url("/v1/widgets?page=1"))
    let constant = try await request.authorized(using: Fixture.auth)
    var measurements: [Figure] = []
    for load in Fixture.loads {
        let measurement = try await compare(
            "data(for:authorizedBy:) / data(for:), \(load.name)",
            { _ = try await session.data(for: request, authorizedBy: Fixture.auth) },
            against: { _ = try await session.data(for: constant) },
            tasks: load.tasks, batch: load.batch, bound: 1.03)
        measurements.append(measurement)
    }
    session.invalidateAndCancel()
    return measurements
}
#endif
