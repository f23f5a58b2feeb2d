// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Synchronization

/// The token endpoint and the token store of all identities, with counts of their calls.
///
/// Its memory is allocated and touched before the run, so that only the pool's memory can grow.
final class Ledger: Sendable {
    struct Account {
        /// The generation of the valid token.
        var issued: Int32 = -1
        /// The number of live providers.
        var alive: Int32 = 0
        /// The session of the stored token. A negative generation means that there is none yet.
        var session = UUID()
        var generation = -1
        var expiresAt = Date.distantPast
        var obtainedAt = Date.distantPast
    }

    struct Counts {
        var made = 0
        var liveDuplicates = 0
        var sessions = 0
        var expiries = 0
        var tokenCalls = 0
        var duplicateTokenCalls = 0
    }

    private struct Contents {
        var accounts: [Account]
        var counts = Counts()
    }

    private let contents: Mutex<Contents>
    private let clock: LookUpClock
    private let lifetime: Double

    init(_ options: PoolStressOptions, clock: LookUpClock) {
        contents = Mutex(Contents(accounts: (0..<options.identities).map { _ in Account() }))
        self.clock = clock
        lifetime = Double(options.lifetime)
    }

    var counts: Counts { contents.withLock { $0.counts } }

    /// Counts a new provider of an identity.
    func begin(_ identity: Int) {
        contents.withLock { contents in
            contents.counts.made += 1
            contents.accounts[identity].alive += 1
            if contents.accounts[identity].alive > 1 { contents.counts.liveDuplicates += 1 }
        }
    }

    /// Counts the end of a provider.
    func end(_ identity: Int) { contents.withLock { $0.accounts[identity].alive -= 1 } }

    // MARK: The token endpoint

    func issue(to identity: Int, replacing token: LedgerToken?) -> LedgerToken {
        let generation = contents.withLock { contents in
            contents.counts.tokenCalls += 1
            let presented = token?.generation ?? -1
            if presented != contents.accounts[identity].issued {
                contents.counts.duplicateTokenCalls += 1
            } else if token == nil {
                contents.counts.sessions += 1
            } else {
                contents.counts.expiries += 1
            }
            contents.accounts[identity].issued += 1
            return contents.accounts[identity].issued
        }
        return LedgerToken(identity: identity, generation: generation, expiresAt: clock.now + lifetime)
    }

    // MARK: The store

    func load(_ identity: Int) -> StoredToken<LedgerToken>? {
        let account = contents.withLock { $0.accounts[identity] }
        guard account.generation >= 0 else { return nil }
        let token = LedgerToken(
            identity: identity, generation: Int32(account.generation), expiresAt: account.expiresAt)
        let version = TokenVersion(session: account.session, generation: account.generation)
        return StoredToken(.token(token), version: version, obtainedAt: account.obtainedAt)
    }

    func save(_ stored: StoredToken<LedgerToken>, of identity: Int) {
        guard let token = stored.token else { return }
        contents.withLock { contents in
            contents.accounts[identity].session = stored.version.session
            contents.accounts[identity].generation = stored.version.generation
            contents.accounts[identity].expiresAt = token.expiresAt
            contents.accounts[identity].obtainedAt = stored.obtainedAt
        }
    }
}

/// A token that names its identity and its generation.
struct LedgerToken: AuthorizationToken {
    let identity: Int
    let generation: Int32
    let expiresAt: Date

    var authorizationHeaderValue: String { "Bearer \(identity).\(generation)" }
}

/// The service of one provider, with the same lifetime.
final class LedgerService: RefreshableTokenService {
    private let ledger: Ledger
    private let identity: Int

    init(_ ledger: Ledger, _ identity: Int) {
        (self.ledger, self.identity) = (ledger, identity)
        ledger.begin(identity)
    }

    deinit { ledger.end(identity) }

    func initialToken() async throws -> LedgerToken { try await answer(nil) }
    func refresh(_ token: LedgerToken) async throws -> LedgerToken { try await answer(token) }

    private func answer(_ token: LedgerToken?) async throws -> LedgerToken {
        await Task.yield()
        return ledger.issue(to: identity, replacing: token)
    }
}

struct LedgerStore: TokenStore {
    let ledger: Ledger
    let identity: Int

    func load() async throws -> StoredToken<LedgerToken>? { ledger.load(identity) }
    func save(_ stored: StoredToken<LedgerToken>) async throws { ledger.save(stored, of: identity) }
    func clear() async throws {}
}
