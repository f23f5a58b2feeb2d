// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport

/// Calls of a client with a provider, against calls of the same client without.
struct Calls {
    let name: String
    let authorized: @Sendable () async throws -> Void
    let bare: @Sendable () async throws -> Void

    /// In sequence, and 64 at a time, with the number of calls of each task before the turn of another contender.
    private static let loads = [
        (name: "in sequence", tasks: 1, batch: 20, rounds: 400),
        (name: "64 at a time", tasks: 64, batch: 2, rounds: 300),
    ]

    init(
        _ name: String, _ authorized: @escaping @Sendable () async throws -> Void,
        against bare: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.authorized = authorized
        self.bare = bare
    }

    func measure(slowDown: Double?) async throws -> [Figure] {
        var figures: [Figure] = []
        for load in Self.loads {
            let comparison = Comparison(
                "\(name), \(load.name)", contender(tasks: load.tasks, batch: load.batch, authorized),
                against: contender(tasks: load.tasks, batch: load.batch, bare), bound: 1.03, rounds: load.rounds)
            figures.append(try await comparison.measure(slowDown: slowDown))
        }
        return figures
    }

    private func contender(
        tasks: Int, batch: Int, _ call: @escaping @Sendable () async throws -> Void
    ) -> Contender {
        Contender(times: tasks * batch) { _ in
            try await withThrowingTaskGroup { group in
                for _ in 0..<tasks { group.addTask { for _ in 0..<batch { try await call() } } }
                try await group.waitForAll()
            }
        }
    }
}
#endif
