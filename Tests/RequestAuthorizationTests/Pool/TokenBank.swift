// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// A token endpoint for many identities. It accepts each refresh token once, and counts the providers of each identity.
final class TokenBank: Sendable {
    private struct Contents {
        /// The valid generation of each session.
        var sessions: [Int] = []
        /// The number of living providers of each identity.
        var alive: [Int]
        var violations: [String] = []
        var made = 0
    }

    let identities: Int
    private let clock: any AuthorizationClock
    private let contents: Lock<Contents>
    private let stores: [InMemoryTokenStore<TestToken>]

    init(identities: Int, clock: any AuthorizationClock) {
        self.identities = identities
        self.clock = clock
        contents = Lock(Contents(alive: Array(repeating: 0, count: identities)))
        stores = (0..<identities).map { _ in InMemoryTokenStore() }
    }

    /// The violations: two providers of one identity, or a refresh token that was spent twice.
    var violations: [String] { contents.withLock { $0.violations } }
    /// The number of providers that were made.
    var made: Int { contents.withLock { $0.made } }

    func provider(for identity: Int) -> RefreshableTokenAuthorization<TestToken> {
        RefreshableTokenAuthorization(
            service: Service(bank: self, identity: identity), store: stores[identity], clock: clock)
    }

    /// A new session.
    func logIn() -> TestToken {
        let session = contents.withLock { contents in
            contents.sessions.append(0)
            return contents.sessions.count - 1
        }
        return token(session, generation: 0)
    }

    // MARK: -

    private func token(_ session: Int, generation: Int) -> TestToken {
        TestToken("\(session).\(generation)", expiresAt: clock.now.addingTimeInterval(5))
    }

    /// Each token can be exchanged once.
    private func exchange(_ token: TestToken) -> TestToken {
        let parts = token.name.split(separator: ".").compactMap { Int($0) }
        let next = contents.withLock { contents in
            if contents.sessions[parts[0]] != parts[1] { contents.violations.append("\(token.name) is spent") }
            contents.sessions[parts[0]] += 1
            return contents.sessions[parts[0]]
        }
        return self.token(parts[0], generation: next)
    }

    /// Has the lifetime of its provider.
    private final class Service: RefreshableTokenService {
        let bank: TokenBank
        let identity: Int

        init(bank: TokenBank, identity: Int) {
            (self.bank, self.identity) = (bank, identity)
            bank.contents.withLock { contents in
                contents.made += 1
                contents.alive[identity] += 1
                if contents.alive[identity] > 1 { contents.violations.append("two of \(identity)") }
            }
        }

        deinit { bank.contents.withLock { $0.alive[identity] -= 1 } }

        func refresh(_ token: TestToken) async throws -> TestToken {
            await Task.yield()
            return bank.exchange(token)
        }

        func initialToken() async throws -> TestToken { bank.logIn() }
    }
}
