// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Finds, keeps and replaces the session of a resource. All that waits is here; ``ConsentState`` decides.
actor ResourceSessions {
    nonisolated let settings: ResourceSettings
    nonisolated let place: ResourcePlace
    nonisolated let state = Lock(State())

    struct State {
        var consent = ConsentState()
        var session: ResourceSession?
        fileprivate var followers: [UUID: (handler: Follower, observation: TokenObservation?)] = [:]
    }

    typealias Follower = @Sendable (TokenChange<OAuthToken>) async -> Void

    private var signingIn: Task<Void, any Error>?
    /// Counts the sign-outs. A sign-in that began before the last one brings no session.
    private var signOuts = 0
    private var reading: Task<Void, Never>?
    private var introduction: Task<AuthenticationChallenge??, any Error>?
    /// The uptime before which the metadata are not read again.
    private var readAgainAt: Duration?
    /// The uptime before which the resource counts as public.
    private var publicUntil: Duration?
    /// The last refused registration at each issuer, and when the next one may be tried there.
    private var refusals: [String: (error: ProtectedResourceError, end: Duration)] = [:]
    /// The record of a new session that is not saved yet. Until then the sign-in counts for this process.
    private var unsaved: ResourceRecord?
    /// The sessions that it replaces, by the names of their stores. They end when it is saved, or signed out.
    private var outdated: [String: RefreshableTokenAuthorization<OAuthToken>] = [:]
    /// The sign-ins of this process, and those that the records had when they began. Any other one there is newer.
    private var passed: Set<UUID> = []
    /// Whether a session that could not be read is to be signed out.
    private var mustReset = false
    /// The session that was signed out last, also while that is under way. For its requests no person is asked.
    private var leaving: Int?

    init(_ settings: ResourceSettings) { (self.settings, place) = (settings, ResourcePlace(settings.url)) }

    nonisolated var session: ResourceSession? { state.withLock { $0.session } }
    /// Whether the program has named the session's server, now or when somebody signed in. Nothing is discovered then.
    nonisolated var isKnown: Bool { settings.known != nil || session?.record?.isKnown == true }
    private nonisolated var now: Duration { settings.clock.uptime }

    // MARK: - The session

    /// The session, from the records if this process has none: a sibling may have signed in since.
    func loaded() async throws -> ResourceSession? {
        if session == nil { _ = try await adopt(newerThan: nil) }
        // Without the records a session goes on as it is.
        if let session, session.isReplaced { _ = try? await adopt(newerThan: session.record?.signIn) }
        if mustReset {
            await session?.provider.reset()
            mustReset = false
        }
        return session
    }

    /// Takes over a session of the records that is newer than one that this process knows.
    func adopt(newerThan baseline: UUID?) async throws -> Bool {
        let former = session
        guard !settings.signsInAlone, let record = try await settings.record(), record.signIn != baseline else {
            return false
        }
        // If the present session could not be saved, the records have an older one, or a sibling's newer one.
        if record.signIn != session?.record?.signIn, passed.contains(record.signIn) { return false }
        let store = settings.store(of: record)
        if baseline != nil, try await store.load()?.token == nil { return false }
        // A sign-in of this program that has ended meanwhile is newer than what was read.
        guard session === former, record.signIn != former?.record?.signIn else { return true }
        let service = settings.service(for: record)
        // A provider that has found the token by itself goes on with it.
        let same = record.session.flatMap { $0 == former?.provider.heldSession ? former : nil }
        same?.service?.goOn(with: service)
        install(record, same?.provider ?? provider(for: service, in: store), issuer: record.resource.server.issuer)
        return true
    }

    /// Whether the session was requested with these scopes, and with a challenge's. They decide on no `offline_access`.
    private func covers(_ challenge: AuthenticationChallenge?, _ scopes: Set<String> = []) -> Bool {
        let required = (challenge?.scope ?? []).subtracting([ProtectedResource.offlineAccess])
        return required.union(scopes).isSubset(of: session?.record?.requested ?? [])
    }

    private nonisolated func provider(
        for service: OAuthTokenService, in store: (any TokenStore<OAuthToken>)?
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        RefreshableTokenAuthorization(
            service: ResourceTokenService(service, settings) { [weak self] in self }, token: nil, store: store,
            policy: settings.policy, clock: settings.clock)
    }

    private func install(
        _ record: ResourceRecord?, _ provider: RefreshableTokenAuthorization<OAuthToken>, issuer: String?,
        after former: OAuthToken? = nil
    ) {
        let ended = state.withLock { state -> [TokenObservation?] in
            let isSame = state.session?.provider === provider
            state.session = ResourceSession(
                number: state.consent.begin(issuer ?? ""), record: record, provider: provider,
                former: former?.authorizationHeaderValue.hashValue)
            if isSame { return [] }
            return state.followers.map { id, follower in
                state.followers[id]?.observation = provider.onTokenChange(follower.handler)
                return follower.observation
            }
        }
        for observation in ended { observation?.cancel() }
    }

    /// Calls a handler with the tokens of this session and of later ones, with one at a time.
    nonisolated func follow(_ handler: @escaping Follower) -> TokenObservation {
        let (id, turns) = (UUID(), SerialTasks())
        let isFollowing = { @Sendable [weak self] in self?.state.withLock { $0.followers[id] != nil } ?? false }
        // When another session begins, the handler may still be busy with the former one's token.
        let inTurn: Follower = { change in
            _ = try? await turns.run {
                if isFollowing() { await handler(change) }
            }
        }
        state.withLock { $0.followers[id] = (inTurn, $0.session?.provider.onTokenChange(inTurn)) }
        return TokenObservation { [weak self] in
            self?.state.withLock { $0.followers.removeValue(forKey: id) }?.observation?.cancel()
        }
    }

    // MARK: - Who asks for a sign-in

    /// Waits for the person, or for the service that needs none.
    ///
    /// - Returns: `false` if the answer counts.
    func help(
        _ reason: ResourceSignIn.Reason, _ challenge: AuthenticationChallenge?, sentIn number: Int?
    ) async throws -> Bool {
        let session = try await loaded()
        if session?.number != number { return true }
        // After a sign-out nobody is asked: this throws.
        if reason.isStepUp, let provider = session?.provider, provider.currentToken == nil {
            _ = try await provider.validToken()
        }
        let baseline = session?.record?.signIn
        // A sibling's session does not count as this one's sign-in. What it lacks is asked for after the next refusal.
        var failure: TokenStoreError?
        do {
            if try await adopt(newerThan: baseline), covers(reason == .scopes ? challenge : nil) {
                return true
            }
        } catch let error as TokenStoreError where settings.signIn.way != nil {
            failure = error
        }
        if settings.signIn.way == nil, !settings.signsInAlone {
            throw NotAuthorized(reason == .first ? .noToken : .needsInteraction, challenge: challenge)
        }
        let effect = try state.withLock { state in
            var consent = state.consent
            let effect = consent.needs(reason, sentIn: number, at: now)
            // Only a sign-in needs the records, and one that cannot begin does not count.
            if effect == .begin, let failure { throw failure }
            if effect == .begin, let number, number == leaving { throw NotAuthorized(.signedOut) }
            state.consent = consent
            return effect
        }
        switch effect {
        case .retry: return true
        case .answer: return false
        case .join: break
        case .begin: begin(reason, challenge, newerThan: baseline)
        }
        try await signingIn?.finished()
        return true
    }

    /// Signs in because the program asks for it.
    func signIn(scopes: Set<String>) async throws {
        guard settings.signIn.way != nil || settings.signsInAlone else { throw NotAuthorized(.noToken) }
        // The former session is known then: its token does not stay, and its scopes are not new.
        let former = try await loaded()
        let record = try await settings.record()
        let effect = state.withLock { $0.consent.asked() }
        if effect == .begin { begin(.first, scopes: scopes, newerThan: record?.signIn ?? former?.record?.signIn) }
        try await signingIn?.finished()
        // The sign-in that was under way may have requested less.
        if effect == .join, let record = session?.record, !scopes.isSubset(of: record.requested) {
            try await signIn(scopes: scopes)
        }
    }

    /// Signs in before an unsafe request goes out, if the resource says that somebody guards it.
    ///
    /// - Returns: `false` if the request may go out as it is.
    func introduce() async throws -> Bool {
        guard publicUntil.map({ now >= $0 }) ?? true else { return false }
        let task = introduction ?? Task.detached { [self] in try await firstChallenge() }
        introduction = task
        guard let challenge = try await task.finished() else { return false }
        guard try await help(.first, challenge, sentIn: nil) else {
            throw NotAuthorized(.needsInteraction, challenge: challenge)
        }
        return true
    }

    /// Looks for the resource's metadata, then asks for its challenge. Goes on if its callers leave.
    ///
    /// - Returns: `nil` if nobody guards the resource; `.some(nil)` if it is guarded, but sends no challenge.
    private func firstChallenge() async throws -> AuthenticationChallenge?? {
        defer { introduction = nil }
        if settings.known != nil { return .some(nil) }
        let discovery = try settings.discovery()
        guard try await discovery.document(nil, asks: true) != nil else {
            publicUntil = now + .seconds(60)
            return nil
        }
        return .some(try? await discovery.challenge())
    }

    /// Reads the resource's metadata again, at most once a minute. Without an answer all stays as it is.
    func recheck(_ challenge: AuthenticationChallenge?) async throws {
        guard !isKnown else { return }
        if reading == nil, readAgainAt.map({ now >= $0 }) ?? true {
            readAgainAt = now + .seconds(60)
            reading = Task.detached { [self] in await readAgain(challenge) }
        }
        try await reading?.finished()
    }

    private func readAgain(_ challenge: AuthenticationChallenge?) async {
        defer { reading = nil }
        let former = session
        // If no 401 names their place, the resource is asked: the well-known places may have those of a parent.
        // An answer that was asked for before a session began says nothing about it.
        guard let discovery = try? settings.discovery(),
            let document = try? await discovery.document(discovery.challenge(challenge)), session === former
        else { return }
        readAgainAt = now + max(.seconds(60), document.maxAge)
        state.withLock { $0.consent.listed(document.issuers) }
    }

    /// Whether a session may be refreshed. The resource may list a server again that it had left out.
    func mayRefresh(_ service: ResourceTokenService) async -> Bool {
        if let session, session.service === service, isAbandoned(session) { try? await recheck(nil) }
        return session.map { $0.service === service && !isAbandoned($0) } ?? false
    }

    /// Whether the resource no longer lists the server of a session, which is the present one.
    nonisolated func isAbandoned(_ session: ResourceSession) -> Bool {
        state.withLock { $0.session === session && !$0.consent.mayRefresh(session.number) }
    }

    // MARK: - One sign-in

    /// What a sign-in is for.
    private struct Demand {
        let reason: ResourceSignIn.Reason
        let challenge: AuthenticationChallenge?
        let scopes: Set<String>
        /// The sign-in that this process knows; another one in the records is newer.
        let baseline: UUID?
        let since: Date
        /// The sign-outs before it. Another one ends it.
        let signOuts: Int
        /// The line that goes on; `nil` if a new one begins.
        let former: UUID?
    }

    /// Begins a sign-in, which goes on if those who wait for it leave.
    private func begin(
        _ reason: ResourceSignIn.Reason, _ challenge: AuthenticationChallenge? = nil, scopes: Set<String> = [],
        newerThan baseline: UUID?
    ) {
        let demand = Demand(
            reason: reason, challenge: challenge, scopes: scopes, baseline: baseline, since: settings.clock.now,
            signOuts: signOuts, former: reason == .first ? nil : session?.line)
        signingIn = Task.detached { [self] in
            do {
                // A page that pays no attention to a sign-out holds up nobody.
                try await endingAtOnce { try await self.run(demand) }
            } catch {
                throw Task.isCancelled ? NotAuthorized(.signedOut) : error
            }
        }
    }

    private func run(_ demand: Demand) async throws {
        var failure: (any Error)?
        do { try await signInLocked(demand) } catch { failure = error }
        try checkSignOuts(since: demand)
        let isDenied = failure.map { ConsentState.isDenial($0) } ?? false
        state.withLock { $0.consent.ended(byDenial: isDenied) }
        if let failure { throw failure }
    }

    /// - Throws: `NotAuthorized` if a sign-out has dropped the sign-in.
    private func checkSignOuts(since demand: Demand) throws {
        guard demand.signOuts == signOuts else { throw NotAuthorized(.signedOut) }
    }

    /// Signs in while no other process does, or takes over what another one has done meanwhile.
    private func signInLocked(_ demand: Demand) async throws {
        let lock: TokenStoreLock
        do {
            lock = try await settings.records.lock(named: settings.askerName, within: .seconds(600))
        } catch let error as TokenStoreError where error.kind == .timedOut {
            let asker = try await settings.asker()
            let who = asker.map { "process \($0.process) has been asking since \($0.since)" } ?? "another process asks"
            throw NotAuthorized(.needsInteraction, detail: "\(who): end it, or sign in there", underlying: error)
        }
        try await lock.whileHeld { try await self.signInAlone(demand) }
    }

    private func signInAlone(_ demand: Demand) async throws {
        let deniedAt = try await settings.asker()?.deniedAt
        // A time to come is of a clock that has been set back since.
        if let deniedAt, deniedAt > demand.since, deniedAt <= settings.clock.now {
            throw NotAuthorized(.needsInteraction, detail: ConsentState.denial)
        }
        // A sibling that has signed out again has brought no session.
        if try await adopt(newerThan: demand.baseline), try await settings.stored() != nil {
            // Those who wait are of the former line: a page would not help them.
            if let former = demand.former, session?.line != former { return state.withLock { $0.consent.spare() } }
            if covers(demand.reason.isStepUp ? demand.challenge : nil, demand.scopes) {
                return state.withLock { $0.consent.asksPerson() }
            }
        }
        var asker = ResourceAsker(since: settings.clock.now)
        try? await settings.records.save(value: asker, named: settings.askerName)
        do {
            let found = try await resource(for: demand)
            guard let make = settings.service else { return try await signIn(demand, at: found) }
            let provider = provider(for: try await callingProgram { try await make(found) }, in: nil)
            try checkSignOuts(since: demand)
            install(nil, provider, issuer: found.server.issuer)
        } catch  where ConsentState.isDenial(error) && demand.signOuts == signOuts {
            asker.deniedAt = settings.clock.now
            try? await settings.records.save(value: asker, named: settings.askerName)
            throw error
        }
    }

    private func resource(for demand: Demand) async throws -> ProtectedResource {
        if let known = settings.known { return known }
        // A server that was made known is not looked for, unless the program begins anew.
        if demand.reason.isStepUp || demand.reason != .first && isKnown, var found = session?.record?.resource {
            // With the token endpoint that was found last.
            if let service = session?.service { found.server = service.oauth.endpoint.server }
            return found
        }
        let discovery = try settings.discovery()
        // The place at which the move was noticed.
        let challenge =
            demand.reason == .otherServer ? try await discovery.challenge(demand.challenge) : demand.challenge
        return try await discovery.resource(challenge, requiresListedPKCE: settings.requiresListedPKCE)
    }

    private func signIn(_ demand: Demand, at found: ProtectedResource) async throws {
        guard let way = settings.signIn.way else { throw NotAuthorized(.noToken) }
        if let refusal = refusals[found.server.issuer ?? ""], now < refusal.end { throw refusal.error }
        let kept = try await settings.record()
        let former = session?.record?.requested ?? []
        // A session goes on with what the person has allowed, unless the server is another one.
        let issuer = session?.record.map { TokenIssuer(of: $0.resource.server) }
        let goesOn = demand.reason != .first && issuer?.isSame(as: found.server) == true
        let scopes = found.scopes(
            after: demand.challenge, requested: goesOn ? former.union(demand.scopes) : demand.scopes)
        try checkSignOuts(since: demand)
        state.withLock { $0.consent.asksPerson() }
        let request = ResourceSignIn.Request(found, scopes, since: former, demand.reason)
        guard try await callingProgram({ [settings] in try await settings.signIn.ask(request) }) else {
            throw NotAuthorized(.needsInteraction, detail: ConsentState.denial)
        }
        try checkSignOuts(since: demand)
        let attempt = ResourceSignInAttempt(
            settings: settings, found: found, isKnown: demand.reason == .first ? settings.known != nil : isKnown,
            line: demand.former, scopes: scopes,
            parameters: demand.challenge.map { found.server.demands(of: $0) } ?? [:])
        let new: ResourceSignInAttempt.Outcome
        do {
            new = try await attempt.run(through: way)
        } catch let error as ProtectedResourceError where error.problem == .registrationRefused {
            refusals[found.server.issuer ?? ""] = (error, now + .seconds(60))
            throw error
        }
        do {
            try await keep(new, over: kept, demand)
        } catch  where signOuts != demand.signOuts {
            // The sign-out has cancelled this task, and a cancelled request revokes nothing.
            await Task.detached { await new.service.discard(new.token) }.value
            throw error
        }
    }

    /// Installs a new session, then keeps it. The former token stays until the new one is there.
    ///
    /// - Throws: `NotAuthorized` with the reason `signedOut` if the user has signed out meanwhile.
    private func keep(_ new: ResourceSignInAttempt.Outcome, over kept: ResourceRecord?, _ demand: Demand) async throws {
        // While the person was busy, a sibling may have saved what it could not save before. It is older all the same.
        let kept = (try? await settings.record()) ?? kept
        try checkSignOuts(since: demand)
        mustReset = false
        let former = session
        let token = former?.line == demand.former ? former?.provider.currentToken : nil
        // The same client of the same server goes on in its store.
        let name = new.record.tokens(of: settings.url)
        outdated[name] = nil
        let same = former?.record?.tokens(of: settings.url) == name ? former : nil
        same?.service?.goOn(with: new.service)
        let provider = same?.provider ?? provider(for: new.service, in: settings.store(of: new.record))
        do {
            try await provider.signIn { new.token }
        } catch is RefreshFailed {
            // The server has named a later time for the next call; this token is here already.
            try await provider.setToken(new.token)
        }
        guard demand.signOuts == signOuts else {
            await provider.reset()
            throw NotAuthorized(.signedOut)
        }
        var record = new.record
        record.session = provider.heldSession
        install(record, provider, issuer: record.resource.server.issuer, after: token)
        unsaved = record
        passed.insert(record.signIn)
        if let kept { passed.insert(kept.signIn) }
        // What a former server or client has got is of no use here, and must not lie about.
        let past = former?.record?.tokens(of: settings.url)
        if same == nil, let past { outdated[past] = former?.provider }
        if let kept, ![past, name].contains(kept.tokens(of: settings.url)) {
            outdated[kept.tokens(of: settings.url)] =
                self.provider(for: settings.service(for: kept), in: settings.store(of: kept))
        }
        await finishOrTryAgain()
    }

    /// Revokes the session, and ends it unless that fails.
    func signOut() async throws {
        dropSignIn()
        // A sibling may have signed in elsewhere, or as another client. Without the records the known session ends.
        _ = try? await adopt(newerThan: session?.record?.signIn)
        do {
            let session = try await loaded()
            leaving = session?.number
            try await session?.provider.signOut()
            // A later start must not find the session before it, either.
            if session === self.session { unsaved = nil }
            await finishOrTryAgain()
        } catch {
            leaving = nil
            throw error
        }
    }

    /// Gives up the sign-in that is under way, because of a sign-out. The next one begins anew.
    private func dropSignIn() {
        signingIn?.cancel()
        (signingIn, leaving) = (nil, session?.number)
        signOuts += 1
        state.withLock { $0.consent.ended() }
    }

    // MARK: - What the records refuse

    /// Signs out here. A session that cannot be read now is signed out before it is used.
    func reset() async {
        dropSignIn()
        (unsaved, mustReset) = (nil, true)
        await finishOrTryAgain()
    }

    /// Saves and resets what is left. If that fails, it is tried again while the program runs.
    private func finishOrTryAgain() async {
        guard (try? await finish()) == nil else { return }
        Task.detached { [weak self, clock = settings.clock] in
            for pause in recordPauses {
                guard (try? await clock.sleep(for: pause)) != nil, let self else { return }
                if (try? await finish()) != nil { return }
            }
        }
    }

    /// - Throws: the error of the records.
    func finish() async throws {
        if mustReset { _ = try await loaded() }
        let record = unsaved
        guard record != nil || !outdated.isEmpty else { return }
        // The record of a sibling that has signed in since stays, and its token.
        if let kept = try await settings.record(), !passed.contains(kept.signIn) {
            outdated[kept.tokens(of: settings.url)] = nil
        } else if let record, unsaved?.signIn == record.signIn {
            // A token that is held may not be stored yet. Without it the record would replace a session by none.
            if !outdated.isEmpty, let held = session?.provider.heldSession, held == record.session,
                try await settings.store(of: record).load()?.version.session != held
            {
                throw TokenStoreError(.unavailable, "the token of a sign-in is not stored yet; try again later")
            }
            try await settings.records.save(value: record, named: settings.sessionName)
        }
        if unsaved?.signIn == record?.signIn {
            unsaved = nil
            // Not before: who reads the records meanwhile, or after a crash, finds one of the two sessions.
            while unsaved == nil, let (name, former) = outdated.first {
                await former.reset()
                if outdated[name] === former { outdated[name] = nil }
            }
            return
        }
        // A later sign-in may have been saved before this record was.
        if unsaved == nil, session?.record?.signIn != record?.signIn { unsaved = session?.record }
        try await finish()
    }
}

/// The pauses between tries. After them only ``ProtectedResourceAuthorization/settle(within:)`` tries again.
private let recordPauses: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(60), .seconds(300)]

extension Task {
    /// Returns the value, or throws at once when the caller is cancelled. The task goes on.
    fileprivate func finished() async throws -> Success {
        try await endingAtOnce { try await result.get() }
    }
}
