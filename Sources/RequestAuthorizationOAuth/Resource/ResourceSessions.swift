// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a provider was made with.
struct ResourceSettings: Sendable {
    let url: String
    let identity: ClientIdentity
    let records: any ResourceRecords
    let policy: RefreshPolicy
    let known: ProtectedResource?
    let proof: ProofOfPossession?
    let requiresListedPKCE: Bool
    let namesResource: Bool
    let transport: any TokenTransport
    let clock: any AuthorizationClock
    let allows: @Sendable (URL) -> Bool
    let signIn: ResourceSignIn
    /// Makes a service that needs no person, in place of a sign-in.
    let service: (@Sendable (ProtectedResource) async throws -> OAuthTokenService)?

    var signsInAlone: Bool { service != nil }

    func discovery() throws -> ResourceDiscovery {
        try ResourceDiscovery(of: url, over: transport, clock: clock, allows: allows)
    }
}

/// Finds, keeps and replaces the session of a resource. All that waits is here; ``ConsentState`` decides.
actor ResourceSessions {
    nonisolated let settings: ResourceSettings
    nonisolated let state = Lock(State())

    struct State {
        var consent = ConsentState()
        var session: ResourceSession?
        /// The line of the next session; see ``ResourceSession``.
        var line = 0
        var followers: [UUID: Follower] = [:]
    }

    struct Follower {
        let handler: @Sendable (TokenChange<OAuthToken>) async -> Void
        var observation: TokenObservation?
    }

    /// What a sign-in is for.
    private struct Demand {
        let reason: ResourceSignIn.Reason
        let challenge: AuthenticationChallenge?
        var scopes: Set<String> = []
        /// The sign-in that this process knows; another one in the records is newer.
        let baseline: UUID?
        let since: Date
        /// The number of sign-outs when it began; see `dropSignIn()`.
        var signOuts = 0

        var isStepUp: Bool { [.scopes, .strongerLogIn].contains(reason) }
        var covering: Set<String> { isStepUp ? challenge?.scope ?? [] : scopes }
    }

    private var isLoaded = false
    /// What the records have refused so far.
    var unfinished = Unfinished()
    private var signingIn: Task<Void, any Error>?
    /// Rises with each sign-out. A sign-in that began before one brings no session.
    private var signOuts = 0
    private var reading: Task<Void, Never>?
    private var introduction: Task<AuthenticationChallenge??, any Error>?
    /// The uptime before which the metadata are not read again.
    private var readAgainAt: Duration?
    /// The uptime before which the resource counts as public.
    private var publicUntil: Duration?
    /// The last refused registration, and when the next one may be tried.
    private var refusal: (error: ProtectedResourceError, end: Duration)?

    init(_ settings: ResourceSettings) { self.settings = settings }

    nonisolated var session: ResourceSession? { state.withLock { $0.session } }
    private nonisolated var now: Duration { settings.clock.uptime }

    /// The session, from the records if this is the first call.
    func loaded() async throws -> ResourceSession? {
        if !isLoaded, session == nil, !settings.signsInAlone { _ = try await adopt(newerThan: nil) }
        isLoaded = true
        if unfinished.isReset {
            await session?.provider.reset()
            unfinished.isReset = false
        }
        return session
    }

    /// Takes over a session of the records that is newer than one that this process knows.
    func adopt(newerThan baseline: UUID?, covering scopes: Set<String> = []) async throws -> Bool {
        let (records, url) = (settings.records, settings.url)
        guard let record: ResourceRecord = try await records.value(named: "resource \(url)"), record.signIn != baseline,
            scopes.isSubset(of: record.requested), !settings.signsInAlone
        else { return false }
        let store = records.tokens(named: record.tokens(of: url))
        if baseline != nil, try await store.load()?.token == nil { return false }
        guard record.signIn != session?.record?.signIn else { return true }
        let service = tokenService(oauth(record))
        install(record, service, provider(service, store))
        return true
    }

    /// Waits for the person, or for the service that needs none.
    ///
    /// - Returns: `false` if the answer counts.
    func help(
        _ reason: ResourceSignIn.Reason, _ challenge: AuthenticationChallenge?, sentIn number: Int?
    ) async throws -> Bool {
        let session = try await loaded()
        let baseline = session?.record?.signIn
        if settings.signIn.channel == nil, !settings.signsInAlone {
            if session?.number != number { return true }
            if try await adopt(newerThan: baseline, covering: reason == .scopes ? challenge?.scope ?? [] : []) {
                return true
            }
            throw NotAuthorized(reason == .first ? .noToken : .needsInteraction, challenge: challenge)
        }
        switch state.withLock({ $0.consent.needs(reason, sentIn: number, at: now) }) {
        case .retry: return true
        case .answer: return false
        case .join: break
        case .begin: begin(Demand(reason: reason, challenge: challenge, baseline: baseline, since: settings.clock.now))
        }
        try await signingIn?.finished()
        return true
    }

    /// Signs in because the program asks for it.
    func signIn(scopes: Set<String>) async throws {
        guard settings.signIn.channel != nil || settings.signsInAlone else { throw NotAuthorized(.noToken) }
        let record: ResourceRecord? = try await settings.records.value(named: "resource \(settings.url)")
        if state.withLock({ $0.consent.asked() }) == .begin {
            state.withLock { $0.line += 1 }
            begin(
                Demand(
                    reason: .first, challenge: nil, scopes: scopes, baseline: record?.signIn ?? session?.record?.signIn,
                    since: settings.clock.now))
        }
        try await signingIn?.finished()
    }

    /// Signs in before an unsafe request goes out, if the resource says that somebody guards it.
    ///
    /// - Returns: `false` if the request may go out as it is.
    func introduce() async throws -> Bool {
        guard publicUntil.map({ now >= $0 }) ?? true else { return false }
        let task =
            introduction
            ?? Task.detached { [settings] in
                if settings.known != nil { return .some(nil) }
                let discovery = try settings.discovery()
                guard try await discovery.document(nil) != nil else { return nil }
                return .some(try? await discovery.challenge())
            }
        introduction = task
        defer { introduction = nil }
        guard let challenge = try await task.finished() else {
            publicUntil = now + .seconds(60)
            return false
        }
        guard try await help(.first, challenge, sentIn: nil) else {
            throw NotAuthorized(.needsInteraction, challenge: challenge)
        }
        return true
    }

    /// Reads the resource's metadata again after a 401, at most once a minute. Without an answer all stays as it is.
    func recheck(_ challenge: AuthenticationChallenge?) async throws {
        guard settings.known == nil else { return }
        if reading == nil, readAgainAt.map({ now >= $0 }) ?? true {
            readAgainAt = now + .seconds(60)
            reading = Task.detached { [self] in
                let document = try? await settings.discovery().document(challenge)
                await note(document ?? nil)
            }
        }
        try await reading?.finished()
    }

    private func note(_ document: ResourceDocument?) {
        reading = nil
        guard let document else { return }
        readAgainAt = now + max(.seconds(60), document.maxAge)
        state.withLock { $0.consent.listed(document.issuers) }
    }

    // MARK: - Signing in

    /// Begins a sign-in, which goes on if those who wait for it leave.
    private func begin(_ demand: Demand) {
        var demand = demand
        demand.signOuts = signOuts
        let work = Task.detached { [self, demand] in
            do {
                try await run(demand)
                try await end(demand, .signedIn)
            } catch {
                try await end(demand, Self.isDenial(error) ? .denied : .failed)
                throw error
            }
        }
        // A page that pays no attention to a sign-out holds up nobody.
        signingIn = Task.detached {
            do {
                try await withTaskCancellationHandler {
                    try await work.finished()
                } onCancel: {
                    work.cancel()
                }
            } catch {
                throw Task.isCancelled ? NotAuthorized(.signedOut) : error
            }
        }
    }

    /// - Throws: `NotAuthorized` if a sign-out has dropped the sign-in.
    private func end(_ demand: Demand, _ end: ConsentState.End) throws {
        try checkSignOuts(since: demand)
        state.withLock { $0.consent.ended(end) }
    }

    private func checkSignOuts(since demand: Demand) throws {
        guard demand.signOuts == signOuts else { throw NotAuthorized(.signedOut) }
    }

    /// Gives up the sign-in that is under way, because of a sign-out. The next one begins anew.
    func dropSignIn() {
        signOuts += 1
        signingIn?.cancel()
        signingIn = nil
        state.withLock { state in
            state.consent.ended(.failed)
            state.line += 1
        }
    }

    private static func isDenial(_ error: any Error) -> Bool {
        if let error = error as? SignInError { return [.denied, .cancelled].contains(error.kind) }
        return (error as? NotAuthorized)?.detail == denied
    }

    private static let denied = "the person does not want to sign in; nobody is asked again until signIn() is called"

    /// Signs in while no other process does, or takes over what another one has done meanwhile.
    private func run(_ demand: Demand) async throws {
        let (records, asker) = (settings.records, "sign-in \(settings.url)")
        let lock: TokenStoreLock
        do {
            lock = try await records.lock(named: asker, within: .seconds(600))
        } catch let error as TokenStoreError where error.kind == .timedOut {
            let holder: ResourceAsker? = try await records.value(named: asker)
            let who = holder.map { "process \($0.process) has been asking since \($0.since)" } ?? "another process asks"
            throw NotAuthorized(.needsInteraction, detail: "\(who): end it, or sign in there", underlying: error)
        }
        try await lock.during { try await self.signIn(demand, asker) }
    }

    private func signIn(_ demand: Demand, _ asker: String) async throws {
        let records = settings.records
        var holder: ResourceAsker? = try await records.value(named: asker)
        if let deniedAt = holder?.deniedAt, deniedAt > demand.since {
            throw NotAuthorized(.needsInteraction, detail: Self.denied)
        }
        if try await adopt(newerThan: demand.baseline, covering: demand.covering) { return }
        holder = ResourceAsker(since: settings.clock.now)
        try? await records.save(value: holder, named: asker)
        do {
            let found = try await resource(for: demand)
            if let make = settings.service {
                let service = tokenService(try await make(found))
                try checkSignOuts(since: demand)
                return install(nil, service, provider(service, nil), issuer: found.server.issuer)
            }
            try await signIn(demand, at: found)
        } catch  where Self.isDenial(error) && demand.signOuts == signOuts {
            holder?.deniedAt = settings.clock.now
            try? await records.save(value: holder, named: asker)
            throw error
        }
    }

    private func resource(for demand: Demand) async throws -> ProtectedResource {
        if let known = settings.known { return known }
        if demand.isStepUp, let record = session?.record { return record.resource }
        return try await .discover(
            settings.url, challenge: demand.challenge,
            requiresListedPKCE: settings.requiresListedPKCE && !settings.signsInAlone,
            transport: settings.transport, clock: settings.clock, allows: settings.allows)
    }

    private func signIn(_ demand: Demand, at found: ProtectedResource) async throws {
        guard let channel = settings.signIn.channel else { throw NotAuthorized(.noToken) }
        if let refusal, now < refusal.end { throw refusal.error }
        let former = session?.record?.requested ?? []
        let scopes = found.scopes(
            after: demand.challenge, requested: demand.isStepUp ? former.union(demand.scopes) : demand.scopes)
        guard try await channel.ask(ResourceSignIn.Request(found, scopes, since: former, demand.reason)) else {
            throw NotAuthorized(.needsInteraction, detail: Self.denied)
        }
        let parameters = demand.challenge.map { found.server.demands(of: $0) } ?? [:]
        let (record, service, token) =
            switch channel.way {
            case .callback(let receiver, let show):
                try await token(for: scopes, parameters, at: found, through: receiver, channel, show)
            case .device(let show): try await token(for: scopes, parameters, at: found, showing: show)
            }
        do {
            try await keep(record, service, token, demand)
        } catch let error as NotAuthorized where error.reason == .signedOut {
            // The sign-out has cancelled this task, and a cancelled request revokes nothing.
            await Task.detached { await service.discard(token) }.value
            throw error
        }
    }

    /// Shows the page, and exchanges the code.
    private func token(
        for scopes: Set<String>, _ parameters: [String: String], at found: ProtectedResource,
        through receiver: any CallbackReceiver, _ channel: ResourceSignIn.Channel,
        _ show: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> (ResourceRecord, OAuthTokenService, OAuthToken) {
        let began = Lock<(ResourceRecord, OAuthTokenService)?>(nil)
        var parameters = parameters
        if scopes.contains(ProtectedResource.offlineAccess) { parameters["prompt"] = "consent" }
        let server = found.server
        let registered = try await settings.records.registrations(at: server.issuer ?? "").lazy
            .compactMap(\.redirectURI).first
        let receiver = channel.prepare(receiver, registered, server.announcesIssuer ? nil : server.issuer)
        do {
            let callback = try await receiver.callback(
                for: { [self, parameters] redirectURI in
                    let registration = try await register(at: found.server, redirectURI: redirectURI)
                    let record = ResourceRecord(
                        resource: found, registration: registration, redirectURI: redirectURI, requested: scopes)
                    let service = oauth(record)
                    began.withLock { $0 = (record, service) }
                    return try await service.pending(scopes, redirectURI, parameters)
                }, show: show)
            guard let (record, service) = began.withLock({ $0 }) else { throw SignInError(.foreign) }
            // Not cancelled by a sign-out: a token that nobody has received could not be revoked.
            return (record, service, try await Task.detached { try await service.finish(callback: callback) }.value)
        } catch {
            if let (record, _) = began.withLock({ $0 }), Self.killsRegistration(error) {
                await forget(record.registration)
            }
            throw error
        }
    }

    /// Shows a code, and waits until the person has entered it on another device.
    private func token(
        for scopes: Set<String>, _ parameters: [String: String], at found: ProtectedResource,
        showing show: @Sendable (DeviceSignIn) async throws -> Void
    ) async throws -> (ResourceRecord, OAuthTokenService, OAuthToken) {
        let server = found.server
        // A server that cannot do it needs no registration.
        _ = try server.endpoint(server.deviceAuthorizationEndpoint, named: "device_authorization_endpoint")
        let registration = try await register(at: server, redirectURI: nil)
        let record = ResourceRecord(resource: found, registration: registration, requested: scopes)
        let service = oauth(record)
        do {
            let device = try await service.deviceSignIn(scopes: scopes, parameters: parameters)
            try await show(device)
            return (record, service, try await device.token())
        } catch {
            // A code that was not entered in time says nothing about the client.
            if (error as? SignInError)?.kind != .expired, Self.killsRegistration(error) { await forget(registration) }
            throw error
        }
    }

    /// Whether a server that no longer knows a client answers so. Many show a page of their own, and never come back.
    private static func killsRegistration(_ error: any Error) -> Bool {
        (error as? TokenEndpointError)?.code == "invalid_client" || (error as? SignInError)?.kind == .expired
            || (error as? SignInError)?.code == "invalid_client"
            || (error as? SignInError)?.code == "unauthorized_client"
    }

    private func register(at server: AuthorizationServer, redirectURI: String?) async throws -> ClientRegistration {
        do {
            return try await server.register(
                settings.identity, redirectURI: redirectURI, records: settings.records, transport: settings.transport,
                clock: settings.clock)
        } catch let error as ProtectedResourceError where error.problem == .registrationRefused {
            refusal = (error, now + .seconds(60))
            throw error
        }
    }

    private func forget(_ registration: ClientRegistration) async {
        if let issuer = registration.issuer { await settings.records.forget(registration.client, at: issuer) }
    }

    // MARK: - Sessions

    /// Installs a new session, then keeps it. The former token stays until the new one is there.
    ///
    /// - Throws: `NotAuthorized` with the reason `signedOut` if the user has signed out meanwhile.
    private func keep(
        _ record: ResourceRecord, _ service: OAuthTokenService, _ token: OAuthToken, _ demand: Demand
    ) async throws {
        let (records, url) = (settings.records, settings.url)
        try checkSignOuts(since: demand)
        let former = session
        unfinished = Unfinished()
        if let former, let old = former.record, old.tokens(of: url) == record.tokens(of: url) {
            former.service.serve(former.number, by: service)
            try await signIn(to: former.provider, token, demand)
            install(record, former.service, former.provider)
        } else {
            let service = tokenService(service)
            let provider = provider(service, records.tokens(named: record.tokens(of: url)))
            try await signIn(to: provider, token, demand)
            install(record, service, provider)
            // What the former server has issued is of no use here, and must not lie about.
            await former?.provider.reset()
        }
        unfinished.record = record
        await finishOrTryAgain()
    }

    private func signIn(
        to provider: RefreshableTokenAuthorization<OAuthToken>, _ token: OAuthToken, _ demand: Demand
    ) async throws {
        try await provider.signIn { token }
        guard demand.signOuts != signOuts else { return }
        await provider.reset()
        throw NotAuthorized(.signedOut)
    }

    private func install(
        _ record: ResourceRecord?, _ service: ResourceTokenService,
        _ provider: RefreshableTokenAuthorization<OAuthToken>,
        issuer: String? = nil
    ) {
        let ended = state.withLock { state -> [TokenObservation?] in
            state.consent.begin(record?.resource.server.issuer ?? issuer ?? "")
            let number = state.consent.session?.number ?? 0
            service.serve(number)
            let isSame = state.session?.provider === provider
            state.session = ResourceSession(
                number: number, line: state.line, record: record, service: service, provider: provider)
            return isSame
                ? []
                : state.followers.map { follower in
                    state.followers[follower.key]?.observation = provider.onTokenChange(follower.value.handler)
                    return follower.value.observation
                }
        }
        for observation in ended { observation?.cancel() }
    }

    private nonisolated func oauth(_ record: ResourceRecord) -> OAuthTokenService {
        var client = record.registration.client
        if settings.namesResource { client = record.resource.client(client) }
        return .authorizationCode(
            server: record.resource.server, client: client, proof: settings.proof, redirectURI: record.redirectURI,
            pendingSignIns: InMemoryPendingSignIns(), transport: settings.transport, clock: settings.clock)
    }

    private nonisolated func provider(
        _ service: ResourceTokenService, _ store: (any TokenStore<OAuthToken>)?
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        RefreshableTokenAuthorization(
            service: service, token: nil, store: store, policy: settings.policy, clock: settings.clock)
    }

    private nonisolated func tokenService(_ service: OAuthTokenService) -> ResourceTokenService {
        ResourceTokenService(
            service,
            mayRefresh: { [weak self] number in self?.state.withLock { $0.consent.mayRefresh(number) } ?? false },
            moved: { [settings] server in
                guard let issuer = server.issuer, settings.known == nil else { return nil }
                let transport = LimitedTransport(
                    settings.transport, clock: settings.clock,
                    addresses: try ResourceAddresses(of: settings.url, allows: settings.allows))
                let found = try await transport.server(of: issuer, requiresListedPKCE: false)
                return found.tokenEndpoint == server.tokenEndpoint ? nil : found
            },
            clientDied: { [settings] service in
                let server = service.endpoint.server
                await settings.records.forget(service.endpoint.client, at: server.issuer ?? "")
            })
    }
}

extension OAuthTokenService {
    /// Begins a sign-in, where this build can.
    fileprivate func pending(
        _ scopes: Set<String>, _ redirectURI: String, _ parameters: [String: String]
    ) async throws -> PendingSignIn {
        #if canImport(CryptoKit) || Crypto
        return try await signIn(scopes: scopes, redirectURI: redirectURI, parameters: parameters)
        #else
        throw SignInError(
            .refused, detail: "a sign-in needs PKCE: enable the trait 'Crypto' of swift-request-authorization")
        #endif
    }
}

extension Task {
    /// Returns the value, or throws at once when the caller is cancelled. The task goes on.
    func finished() async throws -> Success {
        let (results, result) = AsyncStream.makeStream(of: Result<Success, Failure>.self)
        Task<Void, Never> { result.yield(await self.result) }
        for await result in results { return try result.get() }
        throw _Concurrency.CancellationError()
    }
}
