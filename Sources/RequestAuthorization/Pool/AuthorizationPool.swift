// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The provider of each identity: made when it is asked for, and never two at a time for one identity.
///
/// A server speaks for many users. Two providers of one user would refresh one token twice, and servers that rotate refresh
/// tokens take that for theft. Ask the pool each time, or keep what it returned; both lead to the same provider.
///
///     let pool = AuthorizationPool(idleFor: .seconds(600), atMost: 10_000) { (user: UserID) in
///         RefreshableTokenAuthorization(service: service, store: stores.store(of: user))
///     }
///     let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: pool[user])
///
/// A provider is *idle* if nobody outside the pool holds it, nothing is under way (a refresh, a save, a sign-in, a sign-out), and
/// nobody waits for it or observes it (an iteration that has begun). The pool lets go of idle ones: those unused for longer than `idleFor`, and above `atMost`
/// the one unused for longest. Those that are in use are kept, also above `atMost`.
///
/// A provider that is made anew goes on as after a restart of the program: from its store, or with
/// ``RefreshableTokenService/initialToken()``. Kept for as long as the pool lives is a session that only memory holds: signed in to
/// without a store, or with a store that is read only. So is a provider that waits for the time that a server has named.
///
/// All functions may be called from any thread. Tests move the time with `ManualClock`.
public final class AuthorizationPool<ID: Hashable & Sendable, Token: AuthorizationToken>: Sendable {
    public typealias Provider = RefreshableTokenAuthorization<Token>

    private struct Contents {
        var table: PoolTable<ID, Provider>
        /// Whether a turn is scheduled. There is one as long as there is something to let go of.
        var isTicking = false
        var isBackgroundStopped = false
        var isShutDown = false
    }

    private let contents: Lock<Contents>
    /// Who reports on the pool, and how often that was changed.
    let reporting = Lock<(reporter: (any PoolReporter<ID>)?, number: Int)>((nil, 0))
    private let make: @Sendable (ID) -> Provider
    private let clock: any AuthorizationClock
    private let timer: ProviderTimer
    private let interval: Duration

    /// A pool without providers.
    ///
    /// - Parameters:
    ///   - idle: for how long an idle provider is kept; it goes at most a quarter later, or 0.1 s.
    ///   - limit: how many providers are kept. Those that are in use may exceed it.
    ///   - clock: tells the idle time; pass the one of the providers.
    ///   - make: makes the provider of an identity; no other may be alive for it. It is called with nothing locked but the
    ///     identity: others who ask for that one block their thread meanwhile. So it only puts together what is there, and reads
    ///     no file; what may fail belongs in the store. It must not ask the pool for the identity that it makes: that is a
    ///     programming error, and ends the process.
    public init(
        idleFor idle: Duration = .seconds(600), atMost limit: Int = 10_000, clock: any AuthorizationClock = .system,
        make: @escaping @Sendable (_ identity: ID) -> Provider
    ) {
        let idle = max(idle, .zero)
        interval = min(max(idle / 4, .milliseconds(100)), .seconds(3600))
        let turns = Int((idle / interval).rounded(.up))
        contents = Lock(Contents(table: PoolTable(limit: max(limit, 0), turns: turns)))
        timer = ProviderTimer(clock)
        self.clock = clock
        self.make = make
    }

    /// The provider of an identity. It is made if there is none; whoever asks meanwhile gets the same.
    public subscript(identity: ID) -> Provider {
        // Without `??`, which would ask the runtime for the type of the provider.
        if let live = contents.withLock({ $0.table.use(identity) }) { return live }
        return provide(identity)
    }

    /// How many providers the pool holds now, idle or in use.
    public var count: Int { contents.withLock { $0.table.count } }

    /// All providers that are alive, also those that the pool has let go of.
    var live: [(id: ID, provider: Provider)] { contents.withLock { $0.table.live } }

    // MARK: - Helpers

    /// The slow path: the provider has been let go of, or was never made.
    private func provide(_ id: ID) -> Provider {
        let provider: Provider
        switch contents.withLock({ $0.table.look(up: id) }) {
        case .live(let live): provider = live
        case .making(let making): provider = making.provider { makeAndInstall(id) }
        }
        let now = clock.moment
        var (departures, begins) = contents.withLock { contents in
            defer { contents.isTicking = true }
            return (contents.table.evictOverLimit(at: now), !contents.isTicking)
        }
        release(&departures)
        report(evicted: departures.count)
        if begins { scheduleTurn() }
        return provider
    }

    private func makeAndInstall(_ id: ID) -> Provider {
        let provider = make(id)
        let reporting = reporting.withLock { $0 }
        reporting.reporter?.attach(to: provider, of: id)
        let (isBackgroundStopped, isShutDown) = contents.withLock { contents in
            contents.table.install(provider, for: id)
            return (contents.isBackgroundStopped, contents.isShutDown)
        }
        attachReporter(to: provider, of: id, unless: reporting.number)
        if isBackgroundStopped { provider.stopBackgroundRefresh() }
        if isShutDown { _ = provider.shutDownAtOnce() }
        return provider
    }

    /// In place: a copy would keep them alive.
    private func release(_ departures: inout [PoolTable<ID, Provider>.Departure]) {
        for index in departures.indices {
            departures[index].release()
            let (id, making) = (departures[index].id, departures[index].making)
            contents.withLock { $0.table.released(id, making) }
        }
    }

    // MARK: Time

    private func scheduleTurn() {
        _ = timer.schedule(after: interval) { [weak self] in self?.passTurn() }
    }

    private func passTurn() {
        let now = clock.moment
        var departures = contents.withLock { $0.table.passTurn(at: now) }
        release(&departures)
        report(evicted: departures.count)
        let goesOn = contents.withLock { contents in
            contents.isTicking = !contents.table.isEmpty
            return contents.isTicking
        }
        if goesOn { scheduleTurn() }
    }
}

// MARK: - Programs that end

extension AuthorizationPool {
    /// Waits until what all providers have begun has ended and is stored, as ``RefreshableTokenAuthorization/settle(within:)``
    /// does.
    ///
    /// - Parameter limit: the time for all of them together.
    /// - Throws: ``ProvidersNotSettled`` if something is under way or unstored when the time is over; `CancellationError` at once
    ///   when the task is cancelled.
    public func settle(within limit: Duration) async throws {
        let live = contents.withLock { $0.table.live }
        try await Self.settle(live.filter { !$0.provider.isSettled }) { try await $0.settle(within: limit) }
    }

    /// From now on no provider begins a refresh for which no caller waits, those that are made later included.
    public func stopBackgroundRefresh() {
        let live = contents.withLock { contents in
            contents.isBackgroundStopped = true
            return contents.table.live
        }
        for (_, provider) in live { provider.stopBackgroundRefresh() }
    }

    /// Ends all providers, as ``RefreshableTokenAuthorization/shutdown(within:)`` does: nothing new begins, and calls throw
    /// ``NotAuthorized`` with the reason ``NotAuthorized/Reason/shutDown``. The same goes for those that the pool makes later.
    ///
    /// - Parameter limit: the time for all of them together.
    /// - Throws: what ``settle(within:)`` throws. What is unstored then is given up.
    public func shutdown(within limit: Duration) async throws {
        let live = contents.withLock { contents in
            contents.isShutDown = true
            return contents.table.live
        }
        try await Self.settle(live.filter { !$0.provider.shutDownAtOnce() }) { try await $0.shutdown(within: limit) }
    }

    private static func settle(
        _ providers: [(id: ID, provider: Provider)], _ body: @escaping @Sendable (Provider) async throws -> Void
    ) async throws {
        let unsettled = await withTaskGroup(of: (ID, NotSettled)?.self) { group in
            for (id, provider) in providers {
                group.addTask {
                    do {
                        try await body(provider)
                    } catch let error as NotSettled {
                        return (id, error)
                    } catch {
                        // Cancelled, as the caller is.
                    }
                    return nil
                }
            }
            return await group.reduce(into: [ID: NotSettled]()) { all, one in
                if let (id, error) = one { all[id] = error }
            }
        }
        try Task.checkCancellation()
        if !unsettled.isEmpty { throw ProvidersNotSettled(unsettled: unsettled) }
    }
}

extension AuthorizationPool: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AuthorizationPool<\(ID.self), \(Token.self)>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
