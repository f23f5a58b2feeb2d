// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation

/// The cost of setting a credential, and of a call whose answer is no refusal.
func compareSending() async throws -> [Comparison] {
    let request = try Fixture.urlRequest()
    let authorize = authorizer(Fixture.warm, request)
    return [
        Comparison(
            "authorized(using:) / authorize, URLRequest", user(Fixture.warm, request), against: authorize, bound: 1.1,
            rounds: 200),
        Comparison(
            "send / authorize, URLRequest", sender(Fixture.warm, request), against: authorize, bound: 1.1, rounds: 200),
        Comparison(
            "authorized(using:) / authorize, URLRequest, a user's provider", user(OwnProvider(), request),
            against: authorizer(OwnProvider(), request), bound: 1.1, rounds: 200),
    ]
}

private func user(_ provider: some AuthorizationProvider, _ request: URLRequest) -> Contender {
    Contender(times: 1_000) { times in
        for _ in 0..<times { keep(try await request.authorized(using: provider)) }
    }
}

private func authorizer(_ provider: some AuthorizationProvider, _ request: URLRequest) -> Contender {
    Contender(times: 1_000) { times in
        for _ in 0..<times { keep(try await provider.authorize(request)) }
    }
}

/// The transport answers at once.
private func sender(_ provider: some AuthorizationProvider, _ request: URLRequest) -> Contender {
    Contender(times: 1_000) { times in
        for _ in 0..<times { keep(try await provider.send(request, unauthorized: { _ in nil }) { keep($0) }) }
    }
}

/// A provider as a user writes one.
private struct OwnProvider: AuthorizationProvider {
    private let value = BenchmarkToken.valid.authorizationHeaderValue

    func credential(for request: some AuthorizableRequest) async throws -> Credential { try Credential(value) }
}
