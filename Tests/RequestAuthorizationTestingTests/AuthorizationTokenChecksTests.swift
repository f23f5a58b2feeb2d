// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Each check detects a token type with one defect.
struct AuthorizationTokenChecksTests {
    private let clock = ManualClock()

    @Test func `a token of the test kit passes`() async throws {
        try await AuthorizationTokenChecks(
            expired: TestToken("a-credential", expiresAt: clock.now),
            valid: TestToken("a-credential", expiresAt: clock.now + 1),
            clock: clock
        ).run()
        try await AuthorizationTokenChecks(expired: nil, valid: TestToken("a-credential"), clock: clock).run()
    }

    @Test func `a token with isExpired and no expiresAt fails: it never expires`() async {
        let failures = await failures {
            try await AuthorizationTokenChecks(
                expired: IsExpiredAlone(end: .distantPast), valid: .init(end: .distantFuture)
            )
            .run()
        }
        #expect(
            failures.map(\.description) == [
                "expires when it should: the expired token never expires: implement expiresAt; a property isExpired is "
                    + "not used"
            ])
    }

    @Test func `a token that ends at a wrong time fails`() async {
        let (early, late) = (TestToken("a", expiresAt: clock.now - 1), TestToken("a", expiresAt: clock.now + 1))
        for (expired, valid) in [(late, late), (early, early)] {
            let failures = await failures {
                try await AuthorizationTokenChecks(expired: expired, valid: valid, clock: clock).run()
            }
            #expect(failures.map(\.check) == ["expires when it should"])
        }
    }

    @Test func `a token that counts its lifetime from each reading fails: it never expires`() async {
        let failures = await failures {
            try await AuthorizationTokenChecks(expired: nil, valid: MovingEnd()).run()
        }
        #expect(
            failures.map(\.description) == [
                "expires when it should: its expiresAt changes with time: store a date when the token is made"
            ])
    }

    @Test func `a token that cannot be sent, or that prints itself, fails`() async {
        let malformed = await failures {
            try await AuthorizationTokenChecks(expired: nil, valid: TestToken("a\r\nb")).run()
        }
        #expect(malformed.map(\.check) == ["has a value that can be sent"])
        let open = await failures { try await AuthorizationTokenChecks(expired: nil, valid: OpenToken()).run() }
        #expect(open.map(\.description) == ["does not show its credential: its description shows the credential"])
    }
}

private struct IsExpiredAlone: AuthorizationToken {
    let end: Date
    var isExpired: Bool { end <= .now }
    var authorizationHeaderValue: String { "Bearer a-credential" }
}

private struct MovingEnd: AuthorizationToken {
    private let readings = Lock(0.0)
    var authorizationHeaderValue: String { "Bearer a-credential" }
    var expiresAt: Date {
        readings.withLock { readings in
            readings += 1
            return Date(timeIntervalSinceNow: 3600 + readings)
        }
    }
}

private struct OpenToken: AuthorizationToken {
    var authorizationHeaderValue: String { "Bearer a-credential" }
    var description: String { "OpenToken(a-credential)" }
}
