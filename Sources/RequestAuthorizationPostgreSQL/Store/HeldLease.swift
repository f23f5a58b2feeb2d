// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// A lease that is renewed until it is released, lost or deinitialized.
final class HeldLease: Sendable {
    private let length: Duration
    private let clock: any AuthorizationClock
    /// The uptime until which the lease is certainly valid.
    private let goodUntil: Lock<Duration>
    private let release: @Sendable () async -> Void
    private let renewal = Lock<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - length: the duration of a lease without renewal.
    ///   - askedAt: the uptime before the database was asked.
    ///   - renew: renews the lease in the database. Returns `false` if another host has it.
    ///   - release: releases the lease in the database.
    init(
        length: Duration, askedAt: Duration, clock: any AuthorizationClock,
        renew: @escaping @Sendable () async throws -> Bool, release: @escaping @Sendable () async -> Void
    ) {
        (self.length, self.clock, self.release) = (length, clock, release)
        goodUntil = Lock(askedAt + length)
        let task = Task { [weak self, clock] in
            while (try? await clock.sleep(for: length / 3)) != nil {
                let askedAt = clock.uptime
                let isOurs = try? await renew()
                guard let self, !Task.isCancelled else { return }
                if isOurs == false { return goodUntil.withLock { $0 = .zero } }
                if isOurs == true { goodUntil.withLock { $0 = askedAt + length } }
            }
        }
        renewal.withLock { $0 = task }
    }

    deinit {
        guard let task = renewal.withLock({ $0 }) else { return }
        task.cancel()
        Task { [release] in await release() }
    }

    /// How long the lease is valid from now on.
    var remaining: Duration { max(.zero, goodUntil.withLock { $0 } - clock.uptime) }

    /// Suspends until the renewal has ended, for tests.
    func renewalEnds() async { await renewal.withLock { $0 }?.value }

    func end() async {
        guard let task = renewal.exchange(nil) else { return }
        task.cancel()
        await task.value
        await release()
    }
}
#endif
