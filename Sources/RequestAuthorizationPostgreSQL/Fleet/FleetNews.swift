// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// Receives notifications of sign-outs and replaced sessions, on one connection for all stores of a fleet.
///
/// Correctness does not depend on it, because a refresh reads the row under its lease.
final class FleetNews: Sendable {
    static let channel = "request_authorization"

    private struct State {
        var listeners: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
        var lastNumber = 0
        var task: Task<Void, Never>?
    }

    private let database: any ListeningPostgreSQLDatabase
    private let clock: any AuthorizationClock
    private let state = Lock(State())

    init(_ database: any ListeningPostgreSQLDatabase, clock: any AuthorizationClock) {
        (self.database, self.clock) = (database, clock)
    }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Returns a stream of possible changes of a row. The first call makes the connection.
    ///
    /// - Parameter row: the key of the row, in hexadecimal digits.
    func changes(of row: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[row, default: [:]][state.lastNumber] = continuation
            if state.task == nil { state.task = follow() }
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in self?.leave(row, number) }
        return stream
    }

    // MARK: -

    private func leave(_ row: String, _ number: Int) {
        state.withLock { state in
            state.listeners[row]?[number] = nil
            if state.listeners[row]?.isEmpty == true { state.listeners[row] = nil }
        }
    }

    private func follow() -> Task<Void, Never> {
        Task { [weak self, database, clock] in
            var pause = Duration.seconds(1)
            while !Task.isCancelled {
                do {
                    let payloads = try await database.listen(to: Self.channel)
                    pause = .seconds(1)
                    // Notifications from before it listened were missed.
                    self?.announce()
                    for try await row in payloads { self?.announce(row) }
                } catch {}
                guard self != nil, (try? await clock.sleep(for: pause * Double.random(in: 0.5...1))) != nil else {
                    return
                }
                pause = min(pause * 2, .seconds(60))
            }
        }
    }

    /// - Parameter row: the key of the row, or `nil` for all rows.
    private func announce(_ row: String? = nil) {
        let listeners = state.withLock { state in
            guard let row else { return state.listeners.values.flatMap(\.values) }
            return state.listeners[row].map { Array($0.values) } ?? []
        }
        for listener in listeners { listener.yield() }
    }
}
#endif
