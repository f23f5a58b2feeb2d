// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authorizes requests with a token that expires, and refreshes it once for everybody who waits.
///
///     let auth = RefreshableTokenAuthorization(service: MyTokenService())     // one per identity, shared
///     try await auth.signIn { try await service.login(username, password) }
///     let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
///
/// While the token is valid nobody waits: ahead of expiry it is refreshed in the background. From expiry on, and after a 401,
/// requests are held until the one refresh has ended, and are resumed in order of arrival. A cancelled request leaves at once
/// and takes nobody with it. A refresh that fails for a passing reason ends nothing: those who wait get a ``RefreshFailed``,
/// and so does everybody until the next slot. ``RefreshPolicy`` has the figures.
///
/// With a ``TokenStore`` the token is loaded on first use and saved before anybody gets a new one. Test your own code with
/// `ManualClock` and `ScriptedTokenService` of `RequestAuthorizationTesting`.
public actor RefreshableTokenAuthorization<Token: AuthorizationToken>: AuthorizationProvider, ImmediateAuthorization {
    nonisolated let core: ProviderCore
    nonisolated let bareService: any RefreshableTokenService<Token>
    nonisolated let store: (any TokenStore<Token>)?
    nonisolated let policy: RefreshPolicy
    nonisolated let clock: any AuthorizationClock
    nonisolated let timer: ProviderTimer
    nonisolated let random: @Sendable () -> Double
    nonisolated let settling = Settling()
    /// The fields that proofs set, in lower case.
    nonisolated let proofFields: Set<String>
    /// All fields that are set, in lower case.
    nonisolated let credentialFields: Set<String>
    /// Keeps the system from suspending the process during a refresh; `nil` where none is suspended.
    nonisolated let activities: (any ExpiringActivities)?
    /// Called when a request has been held, with nothing locked; for tests.
    nonisolated let onHold: (@Sendable () -> Void)?

    /// The end of the last call of the store: one at a time.
    var lastStoreCall: Task<Void, Never>?
    /// Calls of the store that were given up and have not returned.
    var overdueStoreCalls = 0
    /// Exclusive access to a shared store, by the refresh that got it.
    var locks: [RefreshID: TokenStoreLock] = [:]
    /// The access to a shared store that was taken last, if it runs out by itself.
    nonisolated let limitedAccess: Lock<TokenStoreLock?>?
    /// Follows what siblings do to the store.
    var watch: Task<Void, Never>?
    /// When the server wants to be asked for a revocation again.
    var revocationPause: (error: any Error, end: Duration)?

    /// A provider without a store.
    ///
    /// - Parameters:
    ///   - service: fetches tokens.
    ///   - token: what is held already; without one, ``RefreshableTokenService/initialToken()`` is asked on first use.
    ///   - policy: when to refresh.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public init(
        service: some RefreshableTokenService<Token>, token: Token? = nil, policy: RefreshPolicy = .default,
        clock: any AuthorizationClock = .system
    ) {
        self.init(service: service, token: token, store: nil, policy: policy, clock: clock)
    }

    /// A provider that keeps its token in a store.
    ///
    /// - Parameters:
    ///   - service: fetches tokens.
    ///   - store: loaded on first use, saved to before anybody gets a new token.
    ///   - policy: when to refresh.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public init(
        service: some RefreshableTokenService<Token>, store: some TokenStore<Token>, policy: RefreshPolicy = .default,
        clock: any AuthorizationClock = .system
    ) {
        self.init(service: service, token: nil, store: store, policy: policy, clock: clock)
    }

    package init(
        service: any RefreshableTokenService<Token>, token: Token?, store: (any TokenStore<Token>)?,
        policy: RefreshPolicy = .default, clock: any AuthorizationClock,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        activities: (any ExpiringActivities)? = Suspension.activities, onHold: (@Sendable () -> Void)? = nil
    ) {
        let session = UUID()
        let version = TokenVersion(session: session, generation: 0)
        let held = token.map {
            TypedToken(
                $0, proof: Self.proof(for: $0, by: service, keptIn: store), version: version, obtainedAt: clock.now,
                policy: policy, random: random())
        }
        let storage: RefreshState.Storage =
            switch store {
            case nil: .none
            case is any ReadOnlyStore: .readOnly
            case is any SharedTokenStore<Token>: .shared
            default: .plain
            }
        let state = RefreshState(
            held.map { .held($0) } ?? (store == nil ? .absent : .unknown), session: session, storage: storage,
            policy: policy, provider: RefreshID.newProvider())
        core = ProviderCore(state, at: clock.moment)
        timer = ProviderTimer(clock)
        limitedAccess = storage == .shared ? Lock(nil) : nil
        bareService = service
        let proofFields = Set(service.proofFields.map(\.asciiLowercased))
        self.proofFields = proofFields
        credentialFields = CredentialFields.authorization.union(proofFields)
        self.store = store
        self.policy = policy
        self.clock = clock
        self.random = random
        self.activities = activities
        self.onHold = onHold
    }

    deinit {
        watch?.cancel()
        core.finish()
    }
}

// MARK: - Requests

extension RefreshableTokenAuthorization {
    /// Puts the token into the request's `Authorization` field, waiting for a refresh if need be.
    ///
    /// - Throws: ``NotAuthorized`` if somebody must sign in first, ``RefreshFailed`` if there is no token at this time,
    ///   `CancellationError` at once when the task is cancelled.
    public nonisolated func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        try request.refusePlaintext()
        let date = clock.now
        if let header = core.warmHeader(at: date) {
            var request = request
            request.setCredential(header, in: "Authorization")
            return request
        }
        let held = try await heldToken(at: date)
        if let proof = held.proof {
            return try await request.proven(by: proof, names: proofFields, credential: held.header)
        }
        var request = request
        request.setCredential(held.header, in: "Authorization")
        return request
    }

    package nonisolated func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        credentialFields
    }

    package nonisolated func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        try request.refusePlaintext()
        guard let header = core.warmHeader(at: clock.now) else { return false }
        request.setCredential(header, in: "Authorization")
        return true
    }

    package nonisolated func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool {
        let header = authorized.credential(in: "Authorization")
        return core.read { !$0.line.includes(header) }
    }

    package nonisolated func prove<Request: AuthorizableRequest>(
        _ authorized: Request, ifValidNow: Bool
    ) async throws -> Request? {
        guard !proofFields.isEmpty else { return nil }
        let header = authorized.credential(in: "Authorization")
        if ifValidNow, core.warmToken(at: clock.now)?.header != header { return nil }
        guard let proof = core.proof(of: header) else { return nil }
        return try await authorized.proven(by: proof, names: proofFields)
    }

    /// Hands an answer to the proof of the token, if that is the one with which the request was sent.
    public nonisolated func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool {
        switch outcome(of: response, to: request) {
        case .newProofNeeded:
            allowAnotherTry()
            return true
        case .ignored(let error), .refused(let error):
            change { $1.emit(.proofAnswerIgnored(error)) }
            return false
        case .settled: return false
        }
    }

    /// What an answer says of the proof of a request.
    private nonisolated func outcome(
        of response: some AuthorizableResponse, to request: some AuthorizableRequest
    ) -> ProofOutcome {
        guard !proofFields.isEmpty, let proof = core.proof(of: request.credential(in: "Authorization")),
            let target = ProvenRequest(request)
        else { return .settled }
        return proof.learn(from: response, to: target)
    }

    /// Apart, and not inlined, so that the warm path above touches nothing else.
    @inline(never)
    private nonisolated func heldToken(at date: Date) async throws -> HeldToken {
        if !proofFields.isEmpty, let held = core.warmToken(at: date) { return held }
        return try await heldToken(.now, at: date)
    }

    /// The token itself, valid now, for those who need it: a command-line tool that prints it, a WebSocket that sends it.
    ///
    /// - Throws: what ``authorize(_:)`` throws.
    public nonisolated func validToken() async throws -> Token {
        let date = clock.now
        if let held = core.warmToken(at: date) { return typed(held).token }
        return typed(try await heldToken(.now, at: date)).token
    }

    /// The token itself, valid for so long at least, for a program that hands it on.
    ///
    /// A token that lasts less is refreshed, once at most; if its successor lasts less too, that is returned. After a failure
    /// the next slot is kept, and ``RefreshPolicy/storm`` counts refreshes of young tokens.
    ///
    ///     let token = try await auth.validToken(lasting: .seconds(300))
    ///
    /// - Throws: what ``authorize(_:)`` throws, also if the token that is held is still valid for a shorter time.
    public nonisolated func validToken(lasting duration: Duration) async throws -> Token {
        let date = clock.now.addingTimeInterval(duration.seconds)
        return typed(try await heldToken(.until(date))).token
    }

    /// Refreshes the token now, whatever is left of its life, and returns its successor. The session goes on.
    ///
    /// It joins a refresh that is under way. The next slot after a failure is not waited for, a `Retry-After` is.
    ///
    /// - Throws: what ``authorize(_:)`` throws.
    @discardableResult
    public nonisolated func refreshNow() async throws -> Token { typed(try await heldToken(.refreshed)).token }

    /// The token that is held at this moment, valid or not, without asking the store or the service.
    public nonisolated var currentToken: Token? {
        if case .held(let held) = core.read({ $0.credential }) { typed(held).token } else { nil }
    }

    public nonisolated func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        // RFC 9449 §9: the token is good, and no refresh changes what is wrong with the proof.
        switch outcome(of: response, to: request) {
        case .newProofNeeded: return allowAnotherTry()
        case .refused(let error):
            change { $1.emit(.unauthorized) }
            throw NotAuthorized(.proofRefused, underlying: error)
        case .settled, .ignored: break
        }
        // RFC 9470 §6.1, RFC 6750 §3.1: a refresh gives neither a stronger log-in nor another scope.
        if let challenge = response.challenges.first(where: \.requiresInteraction) {
            change { $1.emit(.unauthorized) }
            throw NotAuthorized(.needsInteraction, challenge: challenge)
        }
        try await setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }

    /// Begins a refresh if the request carries the token that is held; a 401 for an older one changes nothing.
    ///
    /// Returns at once: the next ``authorize(_:)`` waits for the refresh.
    ///
    /// - Throws: ``NotAuthorized`` if the session of the request is over, or if servers refused fresh tokens too often.
    public nonisolated func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        let header = request.credential(in: "Authorization")
        let (error, line) = change { state, turn in
            turn.emit(.unauthorized)
            return (state.unauthorized(header, &turn), state.line.number)
        }
        if let error { throw error }
        allowAnotherTry(in: line)
    }

    /// Lets a call that was answered be sent again, unless a sibling replaces the session before that.
    private nonisolated func allowAnotherTry(in line: Int? = nil) {
        guard let call = SentCall.current else { return }
        let line = line ?? core.read { $0.line.number }
        call.allowAnotherTry { [core] in
            core.read { $0.line.number } != line
        } onTry: {
            self.change { $1.emit(.requestRetried) }
        }
    }

    /// Does not wait for the next slot after a failure, for instance because the network is back.
    ///
    /// A time that the server named with `Retry-After` is kept all the same. Returns at once.
    public nonisolated func retryNow() async { change { $0.retryNow(&$1) } }

    // MARK: Waiting

    /// Decides and waits in one step: under the lock, once the task has been suspended. Inlined, for one frame less that is kept.
    ///
    /// - Parameters:
    ///   - date: now, if it is known: most requests that come during a refresh need nothing else.
    ///   - isolation: the closures run there too, so that calls of one actor take the lock in the order of the calls.
    @inline(__always)
    private func heldToken(
        _ need: RefreshState.Need, at date: Date? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HeldToken {
        let ticket = WaiterTicket(need, at: date)
        return try await withTaskCancellationHandler {
            _ = isolation
            return try await withUnsafeThrowingContinuation { wait($0, with: ticket) }
        } onCancel: {
            core.cancel(ticket)
        }
    }

    /// Apart, and not inlined: what it needs for a moment would be kept for each request that waits, in memory of its own.
    @inline(never)
    private nonisolated func wait(_ continuation: UnsafeContinuation<HeldToken, any Error>, with ticket: WaiterTicket) {
        let surrounding = SurroundingRefresh.live.map(\.id)
        if surrounding.isEmpty, core.waitAtOnce(ticket, continuation) {
            onHold?()
            return
        }
        let (result, aftermath) = core.request(within: surrounding, inputs, ticket, continuation)
        perform(aftermath)
        if let result { continuation.resume(with: result) } else { onHold?() }
    }
}

// MARK: - Sessions

extension RefreshableTokenAuthorization {
    /// Replaces the token: a new session. Requests that wait go on with it.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if its header value must not be
    ///   sent, or ``NotAuthorized/Reason/shutDown``; nothing is changed then. A store that fails is an event, not an error.
    public nonisolated func setToken(_ token: Token) async throws {
        let held = hold(token, version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now)
        if let fault = held.fault { throw fault }
        let isShutDown = change { state, turn in
            if !state.isShutDown { state.setToken(held, &turn) }
            return state.isShutDown
        }
        if isShutDown { throw NotAuthorized(.shutDown) }
        await settleStore()
    }

    /// Fetches a token by hand; until then, and at most for the policy's deadline, requests are held.
    ///
    /// Returns at once. If `body` fails, everything is as it was, and ``events`` says so. Of several that succeed, the one that
    /// was begun last wins.
    public nonisolated func refresh(using body: @escaping @Sendable () async throws -> Token) async {
        _ = begin(change { state, _ in state.nextID() }, waiter: nil, body)
    }

    /// Signs in: like ``refresh(using:)``, and awaits the outcome.
    ///
    ///     try await auth.signIn { try await service.login(username, password) }
    ///
    /// - Throws: what `body` throws; everything is as it was then. ``RefreshFailed`` if the server has named a time before which
    ///   it wants no call. `CancellationError` if the task is cancelled, or if somebody else signed in meanwhile.
    public nonisolated func signIn(using body: @escaping @Sendable () async throws -> Token) async throws {
        let id = change { state, _ in state.nextID() }
        try await withTaskCancellationHandler {
            _ = try await withUnsafeThrowingContinuation { waiter in
                if let error = begin(id, waiter: waiter, body) { waiter.resume(throwing: error) }
            }
        } onCancel: {
            change { $0.cancelManual(id, &$1) }
        }
    }

    /// Signs out here: requests that wait, and all that come, throw ``NotAuthorized``. The server is not asked: the token goes
    /// on to be valid there; see ``signOut()``.
    ///
    /// An answer that is still on its way is dropped, and the service is asked to revoke it. Returns when the store has been
    /// cleared; if that fails, ``events`` says so, and it is tried again. The store is cleared after a shutdown, too.
    public nonisolated func reset() async {
        change { $0.reset(newSession: UUID(), &$1) }
        await settleStore()
    }
}

extension RefreshableTokenAuthorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public nonisolated var description: String { "RefreshableTokenAuthorization<\(Token.self)>" }
    public nonisolated var debugDescription: String { description }
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
