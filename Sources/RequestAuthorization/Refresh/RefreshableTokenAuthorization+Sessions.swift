// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    /// Creates a provider without a store.
    ///
    /// If no token is passed, ``RefreshableTokenService/initialToken()`` is called on first use.
    public init(
        service: some RefreshableTokenService<Token>, token: Token? = nil, policy: RefreshPolicy = .default,
        clock: any AuthorizationClock = .system
    ) {
        self.init(service: service, token: token, store: nil, policy: policy, clock: clock)
        if policy.keepsAlive, token != nil { change { _, _ in } }  // Sets the timer.
    }

    /// Replaces the token and begins a new session. Waiters get the new token.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if the header value
    ///   must not be sent, or with ``NotAuthorized/Reason/shutDown``; then nothing is changed. A store that fails is an
    ///   event, not an error.
    public nonisolated func setToken(_ token: Token) async throws {
        let version = TokenVersion(session: UUID.random(), generation: 0)
        let held = hold(service.completed(token), version: version, obtainedAt: clock.now)
        if let fault = held.fault { throw fault }
        let isShutDown = change { state, turn in
            if !state.isShutDown { state.setToken(held, &turn) }
            return state.isShutDown
        }
        if isShutDown { throw NotAuthorized(.shutDown) }
        await settleStore()
    }

    /// Begins a manual refresh with a closure. Requests wait for it, but not longer than the policy's deadline.
    ///
    /// Returns at once. If `body` fails, the session stays as it was, and ``events`` reports the failure. A newer
    /// manual refresh or sign-in cancels it.
    public nonisolated func refresh(
        using body: nonisolated(nonsending) @escaping @Sendable () async throws -> Token
    ) async {
        begin(RefreshID(), isAwaited: false, body)
    }

    /// Signs in like ``refresh(using:)``, and waits for the result.
    ///
    ///     try await auth.signIn { try await service.login(username, password) }
    ///
    /// - Throws: what `body` throws, and the session stays as it was. ``RefreshFailed`` if the server has named a later
    ///   time for the next call. `CancellationError` if the task is cancelled, or if another sign-in or
    ///   ``setToken(_:)`` has replaced this one. ``NotAuthorized`` if the header value of the token must not be sent,
    ///   or after a sign-out or a shutdown meanwhile.
    public nonisolated func signIn(
        using body: nonisolated(nonsending) @escaping @Sendable () async throws -> Token
    ) async throws {
        let id = RefreshID()
        try await withTaskCancellationHandler {
            defer { core.didResume() }
            _ = try await withUnsafeThrowingContinuation { caller in
                id.expect(caller)
                begin(id, isAwaited: true, body)
            }
        } onCancel: {
            change { $0.cancelSignIn(id, &$1) }
        }
    }

    /// Signs out on this machine: requests, waiting and later ones, throw ``NotAuthorized``.
    ///
    /// The token stays valid at the server, which is not told; ``signOut()`` revokes it. A refresh under way is
    /// dropped, and the service is asked to revoke its token. Returns when the store has been cleared. If that fails,
    /// ``events`` reports it, and clearing is tried again. This works after a shutdown too.
    public nonisolated func reset() async {
        change { $0.reset(newSession: UUID.random(), &$1) }
        await settleStore()
    }
}
