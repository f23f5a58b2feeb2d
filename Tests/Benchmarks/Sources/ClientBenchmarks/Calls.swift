// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport

/// Calls of a client with a provider, against calls of the same client without.
struct Calls {
    let name: String
    let authorized: @Sendable () async throws -> Void
    /// The same with connections of its own.
    let control: @Sendable () async throws -> Void
    let bare: @Sendable () async throws -> Void

    init(
        _ name: String, _ authorized: @escaping @Sendable () async throws -> Void,
        control: (@Sendable () async throws -> Void)? = nil, against bare: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.authorized = authorized
        self.control = control ?? authorized
        self.bare = bare
    }

    /// In sequence, and 64 at a time.
    func measure(slowDown: Double?) async throws -> [Figure] {
        [try await inSequence().measure(slowDown: slowDown), try await atOnce().measure(slowDown: slowDown)]
    }

    /// - Parameters:
    ///   - batch: how many calls a contender does before another has its turn.
    ///   - executor: runs the calls, or `nil` for any core.
    func inSequence(
        batch: Int = 20, rounds: Int = 400, on executor: OneThread? = nil, bound: Double = 1.03
    ) -> Comparison {
        let contender = { @Sendable (call: @escaping @Sendable () async throws -> Void) in
            Contender(times: batch) { times in
                try await withTaskExecutorPreference(executor) { for _ in 0..<times { try await call() } }
            }
        }
        return Comparison(
            "\(name), in sequence", contender(authorized), control: contender(control), against: contender(bare),
            bound: bound, rounds: rounds)
    }

    func atOnce(bound: Double? = 1.03) -> Comparison {
        Comparison(
            "\(name), 64 at a time", atOnce(authorized), control: atOnce(control), against: atOnce(bare), bound: bound,
            rounds: 300)
    }

    private func atOnce(_ call: @escaping @Sendable () async throws -> Void) -> Contender {
        Contender(times: 128) { times in
            try await withThrowingTaskGroup { group in
                for _ in 0..<64 { group.addTask { for _ in 0..<times / 64 { try await call() } } }
                try await group.waitForAll()
            }
        }
    }
}
#endif
