// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Creates the provider of each identity on demand, and never has two at a time for one identity.
///
/// A server acts for many users. Two providers of one user would refresh the same token twice, and servers that rotate
/// refresh tokens treat that as theft. Ask the pool each time, or keep the provider: both give the same one.
/// Names that users choose are no identities: two spellings of an accented letter are equal texts.
///
///     let pool = AuthorizationPool(idleFor: .seconds(600), atMost: 10_000) { (user: UserID) in
///         RefreshableTokenAuthorization(service: service, store: stores.store(of: user))
///     }
///     let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: pool[user])
///
/// A provider is *idle* if only the pool has a reference to it, and nothing uses it. No refresh, save, sign-in or
/// sign-out is under way then, no request waits, and no iteration observes it. The pool drops providers that were idle
/// for longer than `idleFor`. Above `atMost` it drops the idle one unused for longest. Providers in use are kept, even
/// above `atMost`.
///
/// A new provider starts as after a restart of the program: from its store, or with
/// ``RefreshableTokenService/initialToken()``. So a provider is kept as long as the pool lives if its session is in
/// memory only. Without a store that is one that was signed in, or signed out if the service may need no user. With a
/// read-only store it is any that was signed in or out here. After a failure a provider is kept until the next try is
/// due, so that no server is called earlier than it asked.
///
/// All functions may be called from any thread. In tests, advance the time with `ManualClock`.
public final class AuthorizationPool<ID: Hashable & Sendable, Token: AuthorizationToken>: Sendable {
    @usableFromInline package typealias Provider = RefreshableTokenAuthorization<Token>

    private struct Contents {
        let table: PoolTable<ID, Provider>
        /// Those of the table. Counting a reference would be the one write that all readers have in common.
        let uses: Unmanaged<PoolUses>
        /// Whether a turn is scheduled, which is so while there are providers.
        var isTicking = false
        var isBackgroundStopped = false
        var isShutDown = false
    }

    private let contents: SharedLock<Contents>
    /// The reporter of the pool, and how often it was changed.
    let reporting = Lock<(reporter: (any PoolReporter<ID>)?, number: Int)>((nil, 0))
    private let make: @Sendable (ID) -> Provider
    private let clock: any AuthorizationClock
    private let timer: TimerQueue
    private let interval: Duration

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - idle: how long an idle provider is kept at least. It is dropped up to a quarter of this time, or 0.1 s,
    ///     later.
    ///   - limit: how many providers are kept. Providers in use may exceed it.
    ///   - clock: measures the idle time. Pass the clock of the providers.
    ///   - make: creates the provider of an identity; no other provider may exist for it. Only this identity is locked
    ///     during the call: threads that ask for the same one block. So it should only assemble objects and read no
    ///     file; put what may fail into the store. It may ask a pool for the provider of another identity, unless
    ///     that one waits for this one; see ``provider(of:)``.
    public init(
        idleFor idle: Duration = .seconds(600), atMost limit: Int = 10_000, clock: any AuthorizationClock = .system,
        make: @escaping @Sendable (_ identity: ID) -> RefreshableTokenAuthorization<Token>
    ) {
        let idle = max(idle, .zero).saturated
        interval = min(max(idle / 4, .milliseconds(100)), .seconds(3600))
        let turns = Int((idle / interval).rounded(.up))
        let table = PoolTable<ID, Provider>(limit: max(limit, 0), turns: turns)
        contents = SharedLock(Contents(table: table, uses: .passUnretained(table.order.uses)))
        timer = TimerQueue(clock)
        self.clock = clock
        self.make = make
    }

    /// The provider of an identity, created if there is none. Concurrent callers get the same one.
    ///
    /// - Precondition: The closure does not, in the end, ask for the provider that it is creating; see ``provider(of:)``.
    @inlinable public subscript(identity: ID) -> RefreshableTokenAuthorization<Token> {
        if let kept = kept(identity) { return kept }
        return provide(identity)
    }

    /// Returns the provider of an identity like the subscript, also inside the closure of a pool.
    ///
    /// - Throws: ``CircularProviders`` if the provider of this identity waits for one that the calling thread is creating
    ///   or releasing. The subscript ends the program then.
    @inlinable public func provider(
        of identity: ID
    ) throws(CircularProviders) -> RefreshableTokenAuthorization<Token> {
        if let kept = kept(identity) { return kept }
        return try provider(afterMissing: identity)
    }

    /// The number of providers in the pool, idle or in use.
    public var count: Int { contents.read { $0.table.count } }

    /// All living providers, including those that the pool has dropped.
    var live: [(id: ID, provider: Provider)] { contents.read { $0.table.live } }

    // MARK: - Helpers

    @inlinable func kept(_ identity: ID) -> Provider? {
        let (table, reader) = openTable()
        let kept = table._withUnsafeGuaranteedRef { $0.kept[identity] }
        return closeTable(reader, marking: kept?.place ?? -1) ? kept?.provider : nil
    }

    // Two calls, because a program does not see the lock: what it knows best, the identity, is looked up in between.
    // The table lives as long as the pool; a reference of its own would cost a tenth of the look-up.
    @usableFromInline func openTable() -> (Unmanaged<PoolTable<ID, Provider>>, reader: Int) {
        contents.acquire { .passUnretained($0.table) }
    }

    /// - Returns: whether the place is marked as used. If there is none, or it was found in use, the order changes first.
    @usableFromInline func closeTable(_ reader: Int, marking place: Int) -> Bool {
        contents.release(reader) { contents in
            place >= 0 && contents.uses._withUnsafeGuaranteedRef { $0.mark(place) }
        }
    }

    @usableFromInline func provide(_ identity: ID) -> Provider {
        do {
            return try provider(afterMissing: identity)
        } catch {
            fatalError(error.sentence)
        }
    }

    /// The provider has been dropped, or was never created.
    @usableFromInline func provider(afterMissing id: ID) throws(CircularProviders) -> Provider {
        let provider: Provider
        switch contents.withLock({ $0.table.look(up: id) }) {
        case .live(let live): provider = live
        case .making(let making): provider = try making.provider { makeAndInstall(id) }
        }
        let now = clock.moment
        var (departures, begins) = contents.withLock { contents in
            defer { contents.isTicking = true }
            return (contents.table.evictOverLimit(at: now), !contents.isTicking)
        }
        release(&departures)
        if begins { scheduleTurn() }
        return provider
    }

    private func makeAndInstall(_ id: ID) -> Provider {
        let provider = make(id)
        let reporting = reporting.withLock { $0 }
        if let reporter = reporting.reporter { provider.report(to: reporter.reporter(of: id)) }
        install(provider, for: id)
        attachReporter(to: provider, of: id, unless: reporting.number)
        return provider
    }

    /// Adds a provider once it is stopped as the pool is: nobody gets it before.
    private func install(_ provider: Provider, for id: ID) {
        var (isBackgroundStopped, isShutDown) = (false, false)
        while true {
            let pool = contents.withLock { contents -> (Bool, Bool) in
                let present = (contents.isBackgroundStopped, contents.isShutDown)
                if present == (isBackgroundStopped, isShutDown) { contents.table.install(provider, for: id) }
                return present
            }
            if pool == (isBackgroundStopped, isShutDown) { return }
            (isBackgroundStopped, isShutDown) = pool
            if isBackgroundStopped { provider.stopBackgroundRefresh() }
            if isShutDown { _ = provider.shutDownAtOnce() }
        }
    }

    /// Releases evicted providers, and reports them. Works in place: a copy would keep the providers alive.
    private func release(_ departures: inout [PoolTable<ID, Provider>.Departure]) {
        for index in departures.indices {
            departures[index].release()
            let (id, making) = (departures[index].id, departures[index].making)
            _ = contents.withLock { $0.table.released(id, making) }
        }
        report(evicted: departures.count)
    }

    // MARK: Time

    private func scheduleTurn() { _ = timer.schedule(after: interval) { [weak self] in self?.passTurn() } }

    private func passTurn() {
        let now = clock.moment
        var departures = contents.withLock { $0.table.passTurn(at: now) }
        release(&departures)
        _ = contents.withLock { $0.table.forgetFormers() }
        let goesOn = contents.withLock { contents in
            contents.isTicking = !contents.table.isEmpty
            return contents.isTicking
        }
        if goesOn { scheduleTurn() }
    }
}

// MARK: - Programs that end

extension AuthorizationPool {
    /// Waits until the work of all providers has ended and is stored, like
    /// ``RefreshableTokenAuthorization/settle(within:)``.
    ///
    /// - Parameter limit: the time for all providers together.
    /// - Throws: ``ProvidersNotSettled`` if something is still under way or unstored after `limit`; `CancellationError`
    ///   at once when the task is cancelled.
    public func settle(within limit: Duration) async throws {
        try await Self.settle(live.filter { !$0.provider.isSettled }) { try await $0.settle(within: limit) }
    }

    /// Stops refreshes that no caller waits for, for all present and later providers.
    public func stopBackgroundRefresh() {
        let live = contents.withLock { contents in
            contents.isBackgroundStopped = true
            return contents.table.live
        }
        for (_, provider) in live { provider.stopBackgroundRefresh() }
    }

    /// Ends all present and later providers, like ``RefreshableTokenAuthorization/shutdown(within:)``: calls throw
    /// ``NotAuthorized`` with the reason ``NotAuthorized/Reason/shutDown``.
    ///
    /// - Parameter limit: the time for all providers together.
    /// - Throws: what ``settle(within:)`` throws. A token that is unstored by then is given up, a sign-out is not.
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
                    do { try await body(provider) } catch { return (error as? NotSettled).map { (id, $0) } }
                    return nil  // Any other error is a cancellation, which the caller throws below.
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

extension AuthorizationPool: RedactedDescription {}

/// The error when providers of an ``AuthorizationPool`` have not settled in time.
///
/// Wait longer, or let the program end and lose their tokens. If a rotated token is not stored, its user is signed out.
public struct ProvidersNotSettled<ID: Hashable & Sendable>: Error, Sendable {
    /// The unsettled providers by identity; never empty.
    public let unsettled: [ID: NotSettled]
}

extension ProvidersNotSettled: OwnDescription {
    /// Contains numbers, not identities: an identity may be the name of a user.
    @usableFromInline package var ownDescription: String {
        let refreshing = unsettled.values.count { $0.isRefreshing }
        let unstored = unsettled.values.count { $0.isUnstored }
        return "\(unsettled.count) providers have not settled: a refresh or a revocation is under way for "
            + "\(refreshing), the store does not hold the result of \(unstored) yet; wait longer"
    }
}

// MARK: - Helpers

extension RefreshableTokenAuthorization: Dispensable {
    nonisolated func isDispensable(at now: Moment) -> Bool { core.isDispensable(at: now) }

    /// Whether nothing is under way and everything is stored. A shared store may still have a lock to release.
    nonisolated var isSettled: Bool { limitedAccess == nil && core.read { $0.isSettled } }

    /// Performs the first part of ``shutdown(within:)``, which is all of it if nothing is under way.
    ///
    /// - Returns: whether the shutdown is complete.
    nonisolated func shutDownAtOnce() -> Bool {
        let isSettled = change { state, turn in
            state.shutDown(&turn)
            guard state.isSettled else { return false }
            state.giveUpWriting(&turn)
            return true
        }
        return isSettled && limitedAccess == nil
    }
}
