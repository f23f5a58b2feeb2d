// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks that a `TokenStore` conforms, in one line of a test.
///
///     @Test func `my store is one`() async throws {
///         try await TokenStoreChecks { MyStore<TestToken>(in: temporaryFolder()) }.run()
///     }
///
/// The closure creates an empty store. It is called for each check, and may return the same store each time. Every
/// check but the first clears the store before it begins.
public struct TokenStoreChecks<Store: TokenStore>: Sendable where Store.Token: Equatable {
    let limit: Duration
    let clock: any AuthorizationClock
    let token: @Sendable (Int) -> Store.Token
    let store: @Sendable () async throws -> Store
    let reopened: (@Sendable (Store) async throws -> Store)?

    /// Creates the checks of a store for tokens of any type.
    ///
    /// - Parameters:
    ///   - token: creates a different token for each number.
    ///   - limit: how long each check may take; long, so that no check fails on a busy machine.
    ///   - clock: the clock for `limit`.
    ///   - reopened: opens the same place again, as the next launch does. It is called several times. If it closes the
    ///     store that it gets, `store` must create a new one each time. Without it this is not checked.
    ///   - store: creates an empty store.
    public init(
        token: @escaping @Sendable (Int) -> Store.Token, limit: Duration = .seconds(120),
        clock: any AuthorizationClock = .system,
        reopened: (nonisolated(nonsending) @Sendable (Store) async throws -> Store)? = nil,
        _ store: nonisolated(nonsending) @escaping @Sendable () async throws -> Store
    ) {
        (self.limit, self.clock, self.token) = (limit, clock, token)
        (self.store, self.reopened) = (store, reopened)
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled.
    public func run() async throws {
        try await Check.run(checks, of: "\(Store.self)", within: limit, of: clock)
    }

    var checks: [Check] {
        var checks = [
            Check("is empty at first") { try expect(try await store().load(), nil) },
            Check("keeps a token") { try await checkRoundTrip(.token(token(1))) },
            Check("keeps a sign-out") { try await checkRoundTrip(.signedOut) },
            Check("keeps a note that the token was moved") { try await checkRoundTrip(.moved(to: "another store")) },
            Check("keeps the version and the time") { try await checkVersion() },
            Check("replaces what was there") {
                try await checkRoundTrip(.token(token(1)), .token(token(2)), .signedOut, .token(token(3)))
            },
            Check("clears") { try await checkClearing() },
            Check("clears what is empty") { try await checkClearingNothing() },
            Check("keeps one whole value of many saved at a time") { try await checkConcurrency() },
            Check("does not show what it keeps") { try await checkRedaction() },
        ]
        if let reopened {
            checks.append(Check("keeps it for the next launch") { try await checkReopening(reopened) })
        }
        return checks
    }

    private func empty() async throws -> Store {
        let store = try await store()
        if try await store.load() != nil { try await store.clear() }
        return store
    }

    /// Saves and loads each of several contents. A store may refuse a token of a session that was signed out.
    ///
    /// - Parameter reader: the store that loads; the same by default.
    private func checkRoundTrip(
        _ contents: StoredToken<Store.Token>.Content..., by reader: (Store) async throws -> Store = { $0 }
    ) async throws {
        let store = try await empty()
        var session = UUID()
        for (index, content) in contents.enumerated() {
            let stored = StoredToken.probe(content, index + 1, of: session)
            try await store.save(stored)
            try expect(try await reader(store).load(), stored)
            if stored.token == nil { session = UUID() }
        }
    }

    private func checkVersion() async throws {
        let store = try await empty()
        for content in [StoredToken<Store.Token>.Content.token(token(1)), .signedOut] {
            let version = TokenVersion(session: UUID(), generation: 1 << 40)
            try await store.save(StoredToken(content, version: version, obtainedAt: .probe))
            let loaded = try await store.load()
            try require(loaded?.version == version, "loaded another version of \(content)")
            let difference = abs(loaded?.obtainedAt.timeIntervalSince(.probe) ?? .infinity)
            try require(difference < 0.001, "loaded a time for \(content) that is \(difference) s off")
        }
    }

    private func checkClearing() async throws {
        let store = try await empty()
        for content in [StoredToken<Store.Token>.Content.token(token(1)), .signedOut] {
            try await store.save(.probe(content, 1, of: UUID()))
            try await store.clear()
            try expect(try await store.load(), nil)
        }
    }

    private func checkClearingNothing() async throws {
        let store = try await empty()
        try await store.clear()
        try expect(try await store.load(), nil)
    }

    /// A sign-out or a removal that the next launch does not see brings the session back.
    private func checkReopening(_ reopened: (Store) async throws -> Store) async throws {
        for content in [StoredToken<Store.Token>.Content.token(token(1)), .signedOut, .moved(to: "another store")] {
            try await checkRoundTrip(content, by: reopened)
        }
        let store = try await empty()
        try await store.save(.probe(.token(token(1)), 1, of: UUID()))
        try await store.clear()
        try expect(try await reopened(store).load(), nil)
    }

    private func checkConcurrency() async throws {
        let store = try await empty()
        let session = UUID()
        let saved = (1...32).map { StoredToken.probe(.token(token($0)), $0, of: session) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stored in saved {
                group.addTask { try await store.save(stored) }
                group.addTask {
                    guard let loaded = try await store.load() else { return }
                    try require(saved.contains { $0.isSame(as: loaded) }, "loaded a mixture while others saved")
                }
            }
            try await group.waitForAll()
        }
        guard let loaded = try await store.load() else { throw CheckProblem("loaded nothing") }
        try require(saved.contains { $0.isSame(as: loaded) }, "loaded a mixture afterwards")
    }

    private func checkRedaction() async throws {
        let store = try await empty()
        let token = token(1)
        try await store.save(.probe(.token(token), 1, of: UUID()))
        _ = try await store.load()
        try Leak.check(store, for: [token.authorizationHeaderValue])
    }
}

extension TokenStoreChecks where Store.Token == TestToken {
    /// Creates the checks of a store for ``TestToken``. The parameters are those of the other initializer.
    public init(
        limit: Duration = .seconds(120), clock: any AuthorizationClock = .system,
        reopened: (nonisolated(nonsending) @Sendable (Store) async throws -> Store)? = nil,
        _ store: nonisolated(nonsending) @escaping @Sendable () async throws -> Store
    ) {
        self.init(token: { .probe($0) }, limit: limit, clock: clock, reopened: reopened, store)
    }
}

// MARK: -

extension TestToken {
    static func probe(_ number: Int) -> TestToken {
        TestToken("test-credential-\(number)", expiresAt: Date.probe + Double(number))
    }
}

extension UUID {
    /// The session of tokens that need no other one.
    static let probe = UUID()
}

extension Date {
    /// A date with milliseconds, which stores must keep.
    static let probe = Date(timeIntervalSince1970: 1_800_000_000.123)

    func isClose(to other: Date) -> Bool { abs(timeIntervalSince(other)) < 0.001 }
}

extension StoredToken where Token: Equatable {
    static func probe(_ content: Content, _ generation: Int, of session: UUID = .probe) -> StoredToken {
        StoredToken(content, version: TokenVersion(session: session, generation: generation), obtainedAt: .probe)
    }

    /// Whether two items are equal, with less than a millisecond of difference.
    func isSame(as other: StoredToken) -> Bool {
        content == other.content && version == other.version && obtainedAt.isClose(to: other.obtainedAt)
    }
}

/// Compares the loaded item with the expected one.
func expect<Token: Equatable>(_ loaded: StoredToken<Token>?, _ expected: StoredToken<Token>?) throws(CheckProblem) {
    switch (loaded, expected) {
    case (nil, nil): return
    case (let loaded?, let expected?):
        if loaded.isSame(as: expected) { return }
        let isEqual = "\(loaded)" == "\(expected)"
        throw CheckProblem(isEqual ? "loaded another \(loaded)" : "loaded \(loaded) instead of \(expected)")
    case (let loaded?, nil): throw CheckProblem("loaded \(loaded), but the store should be empty")
    case (nil, let expected?): throw CheckProblem("loaded nothing instead of \(expected)")
    }
}
