// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import AllocationCounter
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation

/// How often the warm path allocates memory, beyond the allocations of copying the request.
///
/// - Parameter slowDown: if given, the counted work allocates once more each time.
func measureAllocations(slowDown: Double?) async throws -> [Figure] {
    guard allocation_counter_works() else { return [] }
    let more = slowDown == nil ? 0 : 1
    let request = try Fixture.urlRequest()
    let value = BenchmarkToken.valid.authorizationHeaderValue

    let slot = try await allocations(more: more) { keep(try await Fixture.warm.authorize(SlotRequest())) }
    let token = try await allocations(more: more) { keep(try await Fixture.warm.validToken()) }
    let url = try await allocations(more: more) { keep(try await Fixture.warm.authorize(request)) }
    let replaced = try await allocations {
        var copy = request
        copy.allHTTPHeaderFields = ["Authorization": value]
        keep(copy)
    }
    let changed = try await allocations {
        var copy = request
        copy.timeoutInterval = 5
        keep(copy)
    }
    return [
        Figure(name: "allocations of authorize, own request", value: slot, bound: 0, detail: "\(slot)"),
        Figure(name: "allocations of validToken()", value: token, bound: 0, detail: "\(token)"),
        Figure(
            name: "allocations of authorize(URLRequest) beyond copy and change", value: url - changed, bound: 1,
            detail: "\(url) - \(changed)"),
        Figure(
            name: "allocations of authorize(URLRequest) beyond copy and replace", value: url - replaced, bound: 0,
            detail: "\(url) - \(replaced)"),
    ]
}

/// - Returns: the allocations of one call: the least of several rounds, because other tasks of the thread count too.
private func allocations(more: Int = 0, _ body: () async throws -> Void) async throws -> Double {
    var least = Double.infinity
    for _ in 0..<5 {
        let times = 1_000
        let before = allocation_counter_read()
        for _ in 0..<times {
            try await body()
            for _ in 0..<more {
                let memory = malloc(16)
                keep(memory)
                free(memory)
            }
        }
        least = min(least, Double(allocation_counter_read() - before) / Double(times))
    }
    return least.rounded(places: 2)
}
