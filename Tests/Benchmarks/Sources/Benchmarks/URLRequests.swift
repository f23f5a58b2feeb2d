// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation

/// The cost of authorizing a `URLRequest`, compared with other ways to change it.
func compareURLRequests() async throws -> [Comparison] {
    let request = try Fixture.urlRequest()
    let value = BenchmarkToken.valid.authorizationHeaderValue
    let authorize = Contender(times: 1_000) { times in
        for _ in 0..<times { keep(try await Fixture.warm.authorize(request)) }
    }
    let replace = Contender(times: 1_000) { times in
        for _ in 0..<times {
            var copy = request
            copy.allHTTPHeaderFields = ["Authorization": value]
            keep(copy)
        }
    }
    let setValue = Contender(times: 1_000) { times in
        for _ in 0..<times {
            var copy = request
            copy.setValue(value, forHTTPHeaderField: "Authorization")
            keep(copy)
        }
    }
    return [
        Comparison(
            "authorize(URLRequest) / copy and replace the header dictionary", authorize, against: replace, bound: 1.25,
            rounds: 200),
        Comparison(
            "authorize(URLRequest) / copy and setValue", authorize, against: setValue, bound: 0.3, rounds: 200),
    ]
}
