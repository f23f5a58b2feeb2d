// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authorizes requests with a token that expires, and refreshes it once for all waiting requests.
///
///     let auth = RefreshableTokenAuthorization(service: MyTokenService())     // one per identity, shared
///     try await auth.signIn { try await service.login(username, password) }
///     let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
///
/// While the token is valid, requests do not wait: it is refreshed in the background ahead of expiry. After expiry or a
/// 401, requests wait for a single refresh and are resumed in order of arrival. A cancelled request throws at once; the
/// refresh goes on for the others. A transient failure keeps the session. Requests without a valid token wait for the
/// next slot if that is near, and get a ``RefreshFailed`` if not. ``RefreshPolicy`` has the figures.
///
/// With a ``TokenStore`` the token is loaded on first use, and a new token is saved before it is used. Test your own
/// code with `ManualClock` and `ScriptedTokenService` of `RequestAuthorizationTesting`.
public actor RefreshableTokenAuthorization<Token: AuthorizationToken>: AuthorizationProvider {
    nonisolated let core: ProviderCore
    package nonisolated let bareService: any RefreshableTokenService<Token>
    nonisolated let store: (any TokenStore<Token>)?
    nonisolated let settings: ProviderSettings
    /// The fields that proofs set, in lower case.
    nonisolated let proofFields: Set<String>

    /// The last call of the store. Calls follow one another.
    var lastStoreCall: Task<Void, Never>?
    /// The number of store calls that were given up and have not returned.
    var overdueStoreCalls = 0
    /// Locks of a shared store, by the refresh that took them.
    var locks: [RefreshID: TokenStoreLock] = [:]
    /// The last lock of a shared store, if it is a lease.
    nonisolated let limitedAccess: Lock<TokenStoreLock?>?
    /// Watches the store for changes by siblings.
    var watch: Task<Void, Never>?

    /// Creates a provider that loads its token from a store on first use, and saves a new token before it is used.
    public init(
        service: some RefreshableTokenService<Token>, store: some TokenStore<Token>, policy: RefreshPolicy = .default,
        clock: any AuthorizationClock = .system
    ) {
        self.init(service: service, token: nil, store: store, policy: policy, clock: clock)
    }

    package init(
        service: any RefreshableTokenService<Token>, token: Token?, store: (any TokenStore<Token>)?,
        policy: RefreshPolicy = .default, clock: any AuthorizationClock, random: (@Sendable () -> Double)? = nil,
        activities: (any ExpiringActivities)? = nil, onHold: (@Sendable () -> Void)? = nil
    ) {
        let session = UUID.random()
        let storage: Vault.Kind =
            switch store {
            case nil: .none
            case is any ReadOnlyStore: .readOnly
            case is any SharedTokenStore<Token>: .shared
            default: .plain
            }
        settings = .with(policy, clock: clock, random: random, activities: activities, onHold: onHold)
        core = ProviderCore(
            RefreshState(store == nil ? .absent : .unknown, session: session, storage: storage, policy: settings.policy)
        )
        limitedAccess = storage == .shared ? Lock(nil) : nil
        proofFields = Set(service.proofFields.map(\.asciiLowercased))
        (bareService, self.store) = (service, store)
        guard let token else { return }
        let held = TypedToken(
            token, proof: TypedToken.proof(for: token, by: service, keptIn: store),
            version: TokenVersion(session: session, generation: 0), obtainedAt: clock.now, policy: policy,
            random: settings.random(), keeper: self)
        core.begin(with: held, at: clock.moment)
    }

    deinit {
        watch?.cancel()
        core.finish()
    }
}

extension RefreshableTokenAuthorization {
    nonisolated var policy: RefreshPolicy { settings.policy.value }
    nonisolated var clock: any AuthorizationClock { settings.clock }
    nonisolated var timer: TimerQueue { core.timer(settings.clock) }

    /// Sends each event from now on to a reporter, in place of the former one.
    ///
    /// Unlike a listener, a reporter does not stop a pool from dropping the provider.
    package nonisolated func report(to reporter: any AuthorizationReporter) { core.reporter = reporter }
}

extension RefreshableTokenAuthorization: RedactedDescription {}
