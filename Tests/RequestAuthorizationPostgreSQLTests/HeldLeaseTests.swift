// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationPostgreSQL

/// How long a lease is valid, without a database.
@Suite struct HeldLeaseTests {
    @Test func `a lease that another holder has taken is invalid, and is not renewed again`() async {
        let (clock, lease) = make { false }
        await clock.sleepers(1)
        clock.advance(by: .seconds(3))
        await lease.renewalEnds()
        #expect(lease.remaining == .zero)
        #expect(clock.sleeping == [])
    }

    @Test func `a lease whose renewal fails stays valid until it ends`() async {
        let (clock, lease) = make { throw PostgreSQLError(.timedOut) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(3))
        await clock.sleepers(1)
        #expect(lease.remaining == .seconds(6))
        clock.advance(by: .seconds(7))
        #expect(lease.remaining == .zero)
        await lease.end()
    }

    @Test func `a renewal counts from before its request`() async {
        let clock = ManualClock()
        let lease = HeldLease(
            length: .seconds(9), askedAt: clock.uptime, clock: clock,
            renew: {
                clock.advance(by: .seconds(2))
                return true
            }, release: {})
        await clock.sleepers(1)
        clock.advance(by: .seconds(3))
        await clock.sleepers(1)
        #expect(lease.remaining == .seconds(7))
        await lease.end()
    }

    /// A lease of 9 s, which is renewed every 3 s.
    private func make(_ renew: @escaping @Sendable () async throws -> Bool) -> (ManualClock, HeldLease) {
        let clock = ManualClock()
        return (
            clock, HeldLease(length: .seconds(9), askedAt: clock.uptime, clock: clock, renew: renew, release: {})
        )
    }
}
#endif
