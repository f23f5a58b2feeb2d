// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation

/// What authorizing a `URLRequest` costs beside what any way to change it costs.
func measureURLRequests() async throws -> [Figure] {
    let request = try Fixture.urlRequest()
    let value = BenchmarkToken.valid.authorizationHeaderValue
    let contenders = [
        Contender { times in
            for _ in 0..<times { keep(try await Fixture.warm.authorize(request)) }
        },
        Contender { times in
            for _ in 0..<times {
                var copy = request
                copy.allHTTPHeaderFields = ["Authorization": value]
                keep(copy)
            }
        },
        Contender { times in
            for _ in 0..<times {
                var copy = request
                copy.setValue(value, forHTTPHeaderField: "Authorization")
                keep(copy)
            }
        },
    ]
    let best = try await race(contenders, times: 400, rounds: 400)
    return [
        Figure(
            name: "authorize(URLRequest) / copy and replace the header dictionary", value: best[0] / best[1],
            bound: 1.25, detail: "\(best[0].asTime) / \(best[1].asTime)"),
        Figure(
            name: "authorize(URLRequest) / copy and setValue", value: best[0] / best[2], bound: 0.3,
            detail: "\(best[0].asTime) / \(best[2].asTime)"),
    ]
}
