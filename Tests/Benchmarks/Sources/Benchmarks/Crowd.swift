// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorization
import Synchronization

/// A provider whose refresh lasts until the benchmark opens its gate, and the requests that wait for it.
struct Crowd {
    let service = GatedService()
    let auth: RefreshableTokenAuthorization<BenchmarkToken>
    private let arrivals: Arrivals

    init(_ count: Int) {
        arrivals = Arrivals(count)
        auth = RefreshableTokenAuthorization(service: service, token: .expired)
    }

    /// One request, which waits until the gate is opened.
    func request() async throws {
        arrivals.arrive()
        keep(try await auth.authorize(SlotRequest()))
    }

    /// Returns once all requests have come and the refresh is under way. Up to one request per thread may still be
    /// about to suspend.
    func isComplete() async {
        await arrivals.areComplete()
        await service.hasBegun()
    }

    func checkOneRefresh() async throws {
        let calls = await service.calls
        if calls != 1 { throw BenchmarkError(description: "\(calls) refreshes in place of 1") }
    }
}

/// Counts requests, and tells when all have come.
final class Arrivals: Sendable {
    private let missing: Atomic<Int>
    private let end = AsyncStream<Void>.makeStream()

    init(_ count: Int) { missing = Atomic(count) }

    func arrive() {
        if missing.subtract(1, ordering: .relaxed).newValue == 0 { end.continuation.finish() }
    }

    func areComplete() async { for await _ in end.stream {} }
}
