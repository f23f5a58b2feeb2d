// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import Synchronization

/// The cost of a store while the token is valid: nothing.
func compareWarmStore() async throws -> [Comparison] {
    let store = try await Folder.create()
    let stored = RefreshableTokenAuthorization(service: GatedService(), store: store.tokens)
    // Reads the folder; from then on the token is in memory.
    keep(try await stored.authorize(SlotRequest()))
    let contenders = [stored, Fixture.warm].map { auth in
        Contender(times: 10_000) { [store] times in
            for _ in 0..<times { keep(try await auth.authorize(SlotRequest())) }
            withExtendedLifetime(store) {}
        }
    }
    return [
        Comparison(
            "authorize with a store / without", contenders[0], against: contenders[1], bound: 1.15, rounds: 200)
    ]
}

/// The cost of a store when the token is replaced: a refresh with a shared store, compared with the same steps on the
/// files alone. Those have no checks, no JSON, no guard and no end of the intent.
func measureRefresh(slowDown: Double?) async throws -> [Figure] {
    let store = try await Folder.create()
    let disk = Disk(store.path)
    let intent = Data(count: 2048)
    let item = try JSONEncoder().encode(StoredToken.benchmark(store.session, generation: 0))
    _ = try await disk.replace("bare.new", "bare.token", with: item)
    let generation = Atomic(0)
    let syncs = Mutex<[Double]>([])
    let comparison = Comparison(
        "lock, read, intent, save of a token / of the bare files",
        Contender(units: 1) { stopwatch in
            let generation = generation.add(1, ordering: .relaxed).newValue
            return try await stopwatch.measure {
                try await refresh(store.tokens, store.session, generation: generation)
            }
        },
        against: Contender(units: 1) { stopwatch in
            try await stopwatch.measure {
                let unlock = try await disk.lock("bare.lock")
                keep(try await disk.read("bare.token", atMost: 2 * item.count))
                try await disk.overwrite("bare.intent", with: intent)
                let sync = try await disk.replace("bare.new", "bare.token", with: item)
                unlock()
                syncs.withLock { $0.append(sync.nanoseconds) }
            }
        },
        bound: 1.4, rounds: 400)
    let figure = try await comparison.measure(slowDown: slowDown)
    return [figure.adding("fsync \(syncs.withLock(\.median).asTime), \(disk.kind)")]
}

/// A store of files and the folder that it lies in, which is removed in the end.
private final class Folder: Sendable {
    let path: String
    let session = UUID()
    let tokens: RestrictedFileTokenStore<BenchmarkToken>

    static func create() async throws -> Folder {
        // Unlike /tmp, which may be in memory, this folder outlives a restart, so it is on a disk.
        let folder = Folder(path: "/var/tmp/benchmarks-\(UUID().uuidString)")
        try await folder.tokens.save(.benchmark(folder.session, generation: 0))
        return folder
    }

    private init(path: String) {
        self.path = path
        tokens = RestrictedFileTokenStore(client: "benchmark", account: "any", folder: .at(path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

private func refresh(
    _ store: RestrictedFileTokenStore<BenchmarkToken>, _ session: UUID, generation: Int
) async throws {
    let lock = try await store.lock(within: .seconds(1))
    keep(try await store.loadWithIntent())
    let intent = RefreshIntent(session: session, generation: generation - 1, beganAt: .now)
    try await store.setIntent(intent)
    let result = try await store.save(
        .benchmark(session, generation: generation), replacing: .older(session: session, generation: generation),
        ending: intent)
    await lock.unlock()
    if case .refused = result { throw BenchmarkError(description: "something else stands in the store") }
}

extension StoredToken where Token == BenchmarkToken {
    fileprivate static func benchmark(_ session: UUID, generation: Int) -> Self {
        StoredToken(
            .token(.valid), version: TokenVersion(session: session, generation: generation), obtainedAt: .now)
    }
}
