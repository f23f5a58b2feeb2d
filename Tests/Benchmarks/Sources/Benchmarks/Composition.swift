// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation

/// The cost of binding a provider to origins, or of choosing one by the origin of a request.
func compareComposition() async throws -> [Comparison] {
    let origins: [Origin] = [
        "https://api.example.com", "https://upload.example.com", "https://example.net:8443",
        "https://files.example.org",
    ]
    let providers = Dictionary(uniqueKeysWithValues: origins.map { ($0, Fixture.warm as any AuthorizationProvider) })
    let one = [try Fixture.urlRequest()]
    // To each of the origins, because the position of an origin in the list makes a difference.
    let four = try origins.map { try Fixture.urlRequest(to: $0) }
    return [
        comparison("restricted(to:)", Fixture.warm.restricted(to: origins[0]), one, bound: 1.1),
        comparison("OriginAuthorization", OriginAuthorization([origins[0]: Fixture.warm]), one, bound: 1.1),
        comparison("restricted(to:), four origins", Fixture.warm.restricted(to: Set(origins)), four, bound: 1.5),
        comparison("OriginAuthorization, four origins", OriginAuthorization(providers), four, bound: 1.5),
    ]
}

private func comparison(
    _ name: String, _ provider: some AuthorizationProvider, _ requests: [URLRequest], bound: Double
) -> Comparison {
    Comparison(
        "authorize(URLRequest), \(name) / the bare provider", contender(provider, requests),
        against: contender(Fixture.warm, requests), bound: bound, rounds: 200)
}

private func contender(_ provider: some AuthorizationProvider, _ requests: [URLRequest]) -> Contender {
    Contender(times: 1_000 / requests.count, units: Double(requests.count)) { times in
        for _ in 0..<times {
            for request in requests { keep(try await provider.authorize(request)) }
        }
    }
}
