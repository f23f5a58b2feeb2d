// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Foundation
import RequestAuthorization
import RequestAuthorizationStorage

/// What a store costs: nothing as long as the token is valid, and little more than the disk when it is replaced.
func measureStorage() async throws -> [Figure] {
    // Unlike /tmp, which may be memory, this outlives a restart, and so must lie on a disk.
    let folder = "/var/tmp/benchmarks-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = RestrictedFileTokenStore<BenchmarkToken>(client: "benchmark", account: "any", folder: .at(folder))
    let session = UUID()
    try await store.save(.benchmark(session, generation: 0))
    return [try await measureWarmStore(store), try await measureRefresh(store, session, in: folder)]
}

private func measureWarmStore(_ store: RestrictedFileTokenStore<BenchmarkToken>) async throws -> Figure {
    let stored = RefreshableTokenAuthorization(service: GatedService(), store: store)
    keep(try await stored.authorize(SlotRequest()))
    let contenders = [stored, Fixture.warm].map { auth in
        Contender { times in for _ in 0..<times { keep(try await auth.authorize(SlotRequest())) } }
    }
    let best = try await race(contenders, times: 100_000, rounds: 15)
    return Figure(
        name: "authorize with a store / without", value: best[0] / best[1], bound: 1.15,
        detail: "\(best[0].asTime) / \(best[1].asTime)")
}

/// All that a refresh does to a shared store, against what the disk takes for one file.
private func measureRefresh(
    _ store: RestrictedFileTokenStore<BenchmarkToken>, _ session: UUID, in folder: String
) async throws -> Figure {
    let disk = try Disk(folder)
    let item = try JSONEncoder().encode(StoredToken.benchmark(session, generation: 0))
    var (whole, bare, syncs): ([Double], [Double], [Double]) = ([], [], [])
    for generation in 1...100 {
        whole.append(
            try await ContinuousClock().measure { try await refresh(store, session, generation: generation) }
                .nanoseconds)
        let start = ContinuousClock.now
        let sync = try disk.replace("bare.new", "bare.token", with: item)
        bare.append((ContinuousClock.now - start).nanoseconds)
        syncs.append(sync.nanoseconds)
    }
    return Figure(
        name: "lock, read, intent, save / write, fsync, rename, fsync(folder)", value: whole.median / bare.median,
        bound: 2,
        detail: "\(whole.median.asTime) / \(bare.median.asTime); fsync \(syncs.median.asTime), \(disk.kind)")
}

private func refresh(
    _ store: RestrictedFileTokenStore<BenchmarkToken>, _ session: UUID, generation: Int
) async throws {
    let lock = try await store.lock(within: .seconds(1))
    keep(try await store.load())
    keep(try await store.openIntent())
    try await store.setIntent(RefreshIntent(session: session, generation: generation - 1, beganAt: .now))
    let conflict = try await store.save(
        .benchmark(session, generation: generation), replacing: .older(session: session, generation: generation))
    try await store.setIntent(nil)
    await lock.unlock()
    if conflict != nil { throw BenchmarkError(description: "something else stands in the store") }
}

extension StoredToken where Token == BenchmarkToken {
    fileprivate static func benchmark(_ session: UUID, generation: Int) -> Self {
        StoredToken(
            .token(.valid), version: TokenVersion(session: session, generation: generation), obtainedAt: .now)
    }
}
