// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import AllocationCounter
import BenchmarkSupport
import Foundation
import RequestAuthorization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How much memory a waiting request and an idle provider take, without those objects that their caller has made.
///
/// - Parameter slowDown: if given, each of them takes a kilobyte more.
func measureMemory(slowDown: Double?) async throws -> [Figure] {
    guard allocation_counter_works() else { return [] }
    let more = slowDown == nil ? 0 : 1_024
    let bare = try await memoryOfWaiting(more: 0) { try await $0.bare.request() }
    let authorize = try await memoryOfWaiting(more: more) { keep(try await $0.waiting.auth.authorize(SlotRequest())) }
    let validToken = try await memoryOfWaiting(more: more) { keep(try await $0.waiting.auth.validToken()) }
    // It has the frame of its caller's closure, too, and is no promise.
    let send = try await memoryOfWaiting(more: 0) { crowds in
        keep(try await crowds.waiting.auth.send(SlotRequest()) { _ in UnauthorizedResponse(statusCode: 200) })
    }
    return [
        waiting("authorize", authorize, bare: bare, bound: 1.15),
        waiting("validToken()", validToken, bare: bare, bound: 1.15), waiting("send", send, bare: bare, bound: nil),
        idleProvider(more: more), try await makingOne().measure(slowDown: slowDown),
    ]
}

private func waiting(_ name: String, _ memory: Double, bare: Double, bound: Double?) -> Figure {
    Figure(
        name: "bytes of a waiting request, \(name) / of a bare suspension", value: memory / bare, bound: bound,
        detail: "\(Int(memory)) / \(Int(bare))")
}

private func makingOne() -> Comparison {
    let service = GatedService()
    let provider = Contender(times: 1_000) { times in
        for _ in 0..<times { keep(RefreshableTokenAuthorization(service: service, token: BenchmarkToken.valid)) }
    }
    let request = Contender(times: 1_000) { times in
        for _ in 0..<times {
            var request = URL(string: "https://api.example.com/v1/me").map { URLRequest(url: $0) }
            request?.setValue("application/json", forHTTPHeaderField: "Accept")
            keep(request)
        }
    }
    return Comparison(
        "making a provider / a URL and a request", provider, against: request, bound: 1.5, meter: .processorTime,
        rounds: 200)
}

private let count = 10_000

private struct Crowds: Sendable {
    let waiting = Crowd(count)
    let bare = BareCrowd(count)
}

private func memoryOfWaiting(
    more: Int, _ request: @escaping @Sendable (Crowds) async throws -> Void
) async throws -> Double {
    let crowds = Crowds()
    let arrivals = Arrivals(count)
    var tasks: [Task<Void, any Error>] = []
    tasks.reserveCapacity(count)
    let before = allocation_counter_bytes()
    for _ in 0..<count {
        tasks.append(
            Task.detached {
                let kept = more > 0 ? malloc(more) : nil
                defer { free(kept) }
                arrivals.arrive()
                try await request(crowds)
            })
    }
    await arrivals.areComplete()
    // One request for each thread may be about to suspend.
    let bytes = allocation_counter_bytes() - before
    await crowds.waiting.service.open()
    crowds.bare.open(BenchmarkToken.valid.authorizationHeaderValue)
    for task in tasks { try await task.value }
    return Double(bytes) / Double(count)
}

private func idleProvider(more: Int) -> Figure {
    let service = GatedService()
    let tokens = (0..<count).map { _ in
        BenchmarkToken(
            authorizationHeaderValue: "Bearer " + String(repeating: "aB3-", count: 50), expiresAt: .now + 3_600)
    }
    var providers: [RefreshableTokenAuthorization<BenchmarkToken>] = []
    providers.reserveCapacity(count)
    let before = allocation_counter_bytes()
    for token in tokens { providers.append(RefreshableTokenAuthorization(service: service, token: token)) }
    // The token's text, which the program has made, belongs to it from then on.
    let bytes = Double(allocation_counter_bytes() - before) / Double(count) + 240 + Double(more)
    return withExtendedLifetime(providers) {
        Figure(
            name: "bytes of an idle provider with a token of 207 characters", value: bytes.rounded(), bound: 1_600,
            detail: "\(Int(bytes))")
    }
}
