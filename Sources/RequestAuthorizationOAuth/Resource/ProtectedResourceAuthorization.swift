// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authorizes requests to a resource of which the program knows only the URL.
///
///     let notes = ProtectedResourceAuthorization(
///         "https://notes.example/mcp", client: .init(name: "Notes", document: "https://app.example/client.json"),
///         records: .items(.default(client: "com.example.app")), transport: URLSession.shared,
///         signIn: .through(.loopback, show: open) { ask in await model.confirm(ask) })
///     let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: notes)
///
/// It finds out who guards the resource (RFC 9728, RFC 8414), and introduces the program there. It asks the user once,
/// and gets a token for that resource (RFC 8707). It asks again if a request needs more (RFC 6750 §3.1, RFC 9470), and
/// follows the resource to another server. Nothing is shown that was not asked for, and one refusal counts until
/// ``signIn(scopes:)`` is called or the program ends.
///
/// Until somebody has signed in, a request goes out without a credential, since a resource may have public parts. One
/// below the URL that changes something waits (any method but GET, HEAD, OPTIONS and TRACE). If the resource has
/// metadata, the person is asked first. After a sign-out nothing goes out without a credential.
///
/// The credential goes to requests below the URL only: the same origin, and a path that continues at a slash.
public final class ProtectedResourceAuthorization: AuthorizationProvider, RedactedDescription {
    let sessions: ResourceSessions
    /// The credential of the held token, with the receipt of this provider for the session of that number.
    private let warm = Lock<(base: Credential, number: Int, wrapped: Credential)?>(nil)

    /// Creates a provider for one person. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: the URL of the resource, verbatim.
    ///   - client: how the program introduces itself.
    ///   - records: keep server, registration and session; in memory by default.
    ///   - policy: when tokens are refreshed.
    ///   - known: the resource, if it does not introduce itself. Nothing is discovered then, and a stored session is
    ///     used if its token is of that server.
    ///   - proof: how tokens are bound to a key; by default they are bound to none.
    ///   - requiresListedPKCE: whether a server must say that it checks PKCE. Pass `false` for a server that you know.
    ///   - namesResource: whether requests name the resource (RFC 8707). Pass `false` for servers that refuse it.
    ///   - transport: sends the provider's own requests, for instance `URLSession.shared`.
    ///   - clock: the system's, or a `ManualClock` in tests.
    ///   - allows: whether a URL of the metadata may be called. Pass it on servers whose users type URLs.
    ///   - signIn: how a person is asked; nobody is asked by default.
    public init(
        _ url: String, client: ClientIdentity, records: any ResourceRecords = .inMemory,
        policy: RefreshPolicy = .default, known: ProtectedResource? = nil, proof: ProofOfPossession? = nil,
        requiresListedPKCE: Bool = true, namesResource: Bool = true, transport: any TokenTransport,
        clock: any AuthorizationClock = .system, allows: @escaping @Sendable (URL) -> Bool = { _ in true },
        signIn: ResourceSignIn = .never
    ) {
        sessions = ResourceSessions(
            ResourceSettings(
                url: url, identity: client, records: records, policy: policy, known: known, proof: proof,
                requiresListedPKCE: requiresListedPKCE, namesResource: namesResource, transport: transport,
                clock: clock, allows: allows, signIn: signIn))
    }

    /// Creates a provider for a program that acts for itself.
    ///
    ///     let auth = ProtectedResourceAuthorization(url, transport: URLSession.shared) { found in
    ///         .clientCredentials(
    ///             server: try found.server(of: "https://id.example"), client: found.client(billing),
    ///             scopes: found.scopes, transport: URLSession.shared)
    ///     }
    ///
    /// The closure makes the token service for what was found. Name the issuer that may see the secret with
    /// ``ProtectedResource/server(of:)``: the resource may name any. The other parameters are those of the other initializer.
    public init(
        _ url: String, policy: RefreshPolicy = .default, known: ProtectedResource? = nil, transport: any TokenTransport,
        clock: any AuthorizationClock = .system, allows: @escaping @Sendable (URL) -> Bool = { _ in true },
        service: nonisolated(nonsending) @escaping @Sendable (ProtectedResource) async throws -> OAuthTokenService
    ) {
        sessions = ResourceSessions(
            ResourceSettings(
                url: url, policy: policy, known: known, transport: transport, clock: clock, allows: allows,
                service: service))
    }

    /// Returns the token of the resource; nothing until somebody has signed in.
    ///
    /// - Throws: `NotAuthorized`, with the reason `originNotAllowed` for a request that is not below the URL;
    ///   `RefreshFailed`; the errors of ``signIn(scopes:)`` if a person must be asked; `TokenStoreError` if the records
    ///   cannot be read; `CancellationError` at once when the task is cancelled.
    public func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try check(request)
        let credential = try await inSession { session in
            wrap(try await session.provider.credential(for: request), session, request)
        }
        if let credential { return credential }
        if !goesOutFirst(request), try await sessions.introduce(), let session = sessions.session {
            return wrap(try await session.provider.credential(for: request), session, request)
        }
        return .withoutFields(receipt: receipt(nil, nil, request.isReplayable))
    }

    public func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        try check(request)
        guard let session = sessions.session, let base = try session.provider.credentialAtHand(for: request),
            !session.isReplaced
        else { return nil }
        guard request.isReplayable else { return wrap(base, session, request) }
        let atHand = warm.withLock { warm in
            warm.flatMap { $0.number == session.number && $0.base.isIdentical(to: base) ? $0.wrapped : nil }
        }
        return atHand ?? wrap(base, session, request)
    }

    // MARK: -

    /// Calls a body with the session, and once more if a sibling has signed in since.
    ///
    /// - Returns: `nil` if there is no session.
    private func inSession<Value>(_ body: (ResourceSession) async throws -> Value) async throws -> Value? {
        for isLast in [false, true] {
            guard let session = try await sessions.loaded() else { break }
            do {
                let value = try await body(session)
                if isLast || !session.isReplaced { return value }
            } catch let error as RefreshFailed where !isLast {
                // Its server may have gone, and no 401 tells that another one is listed.
                try await sessions.recheck(nil)
                guard sessions.isAbandoned(session),
                    try await sessions.help(.otherServer, nil, sentIn: session.number)
                else { throw error }
                // It has waited in a line, and goes on in this one only.
                if sessions.session?.line != session.line { throw NotAuthorized(.sessionReplaced) }
            } catch let error as NotAuthorized
                where !isLast && (error.needsSignIn || [.sessionReplaced, .clientRefused].contains(error.reason))
            {
                let isNewer = try await sessions.adopt(newerThan: session.record?.signIn)
                // A request that has waited in a line goes on in this one only.
                guard isNewer || sessions.session !== session,
                    error.needsSignIn || sessions.session?.line == session.line
                else { throw error }
            }
        }
        return nil
    }

    private func wrap(
        _ base: Credential, _ session: ResourceSession, _ request: some AuthorizableRequest
    ) -> Credential {
        let wrapped = base.replacingReceipt(by: receipt(session, base, request.isReplayable))
        if request.isReplayable, !base.isForOneRequest { warm.withLock { $0 = (base, session.number, wrapped) } }
        return wrapped
    }

    private func receipt(_ session: ResourceSession?, _ base: Credential?, _ isReplayable: Bool) -> ResourceReceipt {
        ResourceReceipt(
            sessions: sessions, number: session?.number, line: session?.line, base: base, isReplayable: isReplayable)
    }

    /// Whether a request may go out without a credential, in order to learn the challenge.
    ///
    /// A public part must not carry it out for nobody. The URL itself is what the resource's metadata call guarded.
    private func goesOutFirst(_ request: some AuthorizableRequest) -> Bool {
        if ["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.requestMethod) { return true }
        return request.isReplayable && request.targetURI?.withoutFragment == sessions.settings.url
    }

    /// Throws unless a request is below the URL of the resource.
    private func check(_ request: some AuthorizableRequest) throws {
        guard let origin = sessions.place.origin else {
            throw ProtectedResourceError(.unusable, member: "resource", detail: "write a URL with scheme and host")
        }
        if sessions.place.contains(request) { return }
        // The rest of the URL may be secret.
        throw NotAuthorized(
            .originNotAllowed,
            detail: "the token is for the provider's URL at \(origin) and what is below it, and the request is not")
    }
}

/// The part of an origin that a resource is: its URL, and what continues that at a slash.
struct ResourcePlace: Sendable {
    let origin: Origin?
    private let path: String
    private let names: [ArraySlice<UInt8>]

    init(_ url: String) {
        let parsed = URL(string: url)
        let path = parsed?.path(percentEncoded: true) ?? ""
        (origin, self.path) = (parsed.flatMap { Origin($0) }, path == "/" ? "" : path)
        names = Self.names(in: path[...])
    }

    func contains(_ request: some AuthorizableRequest) -> Bool {
        guard let origin, request.goes(to: origin) else { return false }
        guard !path.isEmpty else { return true }
        guard let target = request.targetURI else { return false }
        // Servers decode dots before they look for dot segments.
        let plain = target.replacing("%2E", with: ".").replacing("%2e", with: ".")
        let rest = DotSegments.removed(fromURL: plain).splitBeforePath.rest.utf8
        guard rest.starts(with: path.utf8) else { return false }
        let next = rest.dropFirst(path.utf8.count).first
        guard next == nil || "/?#".utf8.contains(next ?? 0) || path.hasSuffix("/") else { return false }
        return !plain.utf8.contains("..".utf8) || Self.names(in: plain.splitBeforePath.rest).starts(with: names)
    }

    /// The names in a path, for servers that also decode slashes, merge them, or drop what follows a `;` before that.
    private static func names(in path: Substring) -> [ArraySlice<UInt8>] {
        var bytes = Array(path.utf8.prefix { !"?#".utf8.contains($0) })
        for slash in ["%2F", "%2f", "%5C", "%5c", "\\"] { bytes = bytes.replacing(slash.utf8, with: "/".utf8) }
        var names: [ArraySlice<UInt8>] = []
        for part in bytes.split(separator: UInt8(ascii: "/")) {
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            if name.elementsEqual("..".utf8) { _ = names.popLast() }
            if !name.allSatisfy({ $0 == UInt8(ascii: ".") }) { names.append(name) }
        }
        return names
    }
}

// MARK: - What a program asks for

extension ProtectedResourceAuthorization {
    /// Signs in: asks the person, also after an earlier refusal, and waits for the end.
    ///
    /// Programs with the same records share one page: the others take over the session of the first.
    ///
    /// - Parameter scopes: requested in place of those that the resource lists; if there are none, those are requested.
    /// - Throws: ``SignInError``, ``ProtectedResourceError``, `NotAuthorized`; `TokenEndpointError` if the server
    ///   refused; errors of the transport, the records, `ask` and `show`; `CancellationError` if the task is cancelled,
    ///   and the sign-in goes on.
    public func signIn(scopes: Set<String> = []) async throws { try await sessions.signIn(scopes: scopes) }

    /// Revokes the token at the server, then signs out here; see `RefreshableTokenAuthorization.signOut()`.
    ///
    /// A sign-in that is under way is dropped: its callers get `NotAuthorized` with the reason `signedOut`. So do requests
    /// that need the person meanwhile.
    ///
    /// - Throws: as that function, and the error of the records if the session is not known and they cannot be read.
    public func signOut() async throws { try await sessions.signOut() }

    /// Signs out on this machine only. The server is not told. A sign-in that is under way is dropped, as by ``signOut()``.
    ///
    /// It ends the session that this process uses. If another process has signed in since, at another server or as
    /// another client, that session stays, and the next request uses it.
    ///
    /// If the records cannot be read now, it is tried again, and no request uses the session before. ``settle(within:)``
    /// throws as long as it has not succeeded.
    public func reset() async { await sessions.reset() }

    /// Returns a token that is valid for at least a duration, for a program that passes it on.
    ///
    /// - Throws: `NotAuthorized` if nobody has signed in, and as `RefreshableTokenAuthorization.validToken(lasting:)`.
    public func validToken(lasting duration: Duration = .zero) async throws -> OAuthToken {
        if sessions.settings.signsInAlone, sessions.session == nil { try await sessions.signIn(scopes: []) }
        let token = try await inSession { try await $0.provider.validToken(lasting: duration) }
        guard let token else { throw NotAuthorized(.noToken) }
        return token
    }

    /// Returns what the records say about the session, for a list of sessions; `nil` if no user is signed in.
    ///
    /// It calls no server, and no other request uses what it has read.
    ///
    /// - Throws: `TokenStoreError` if the records cannot be read.
    public func storedSession() async throws -> ResourceSessionSummary? { try await sessions.settings.stored() }

    /// Returns the sign-in for this URL that is under way in a process with the same records; `nil` if there is none.
    ///
    /// ``signIn(scopes:)`` would wait for it. Records in memory wait for its end here too.
    ///
    /// - Throws: `TokenStoreError` if the records cannot be read.
    public func signInUnderWay() async throws -> SignInUnderWay? { try await sessions.settings.signInUnderWay() }

    /// Waits until what was begun has ended and is stored; see `RefreshableTokenAuthorization.settle(within:)`.
    ///
    /// - Throws: as that function, and the error of the records if they still cannot keep a sign-in or a sign-out.
    public func settle(within limit: Duration) async throws {
        try await sessions.session?.provider.settle(within: limit)
        try await sessions.finish()
    }

    /// Calls a handler with the present token, if there is one, and with each change, also after a change of server.
    ///
    /// The next call begins when the handler has returned.
    ///
    /// - Returns: the observation, which ends when it is released.
    public func onTokenChange(
        _ handler: nonisolated(nonsending) @escaping @Sendable (TokenChange<OAuthToken>) async -> Void
    ) -> TokenObservation { sessions.follow(handler) }
}

extension ProtectedResourceAuthorization: RefusalListener {
    package func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        try check(request)
        let session = try await sessions.loaded()
        let value = request.credential(in: "Authorization")
        let receipt = receipt(value == nil ? nil : session, nil, request.isReplayable)
        let present = session?.provider.currentToken?.authorizationHeaderValue
        // The refusal of a former token says nothing about the present one: the session's provider judges it.
        let isFormer = value != nil && present != nil && value != present
        if isFormer, value?.hashValue == session?.former { return }
        if !isFormer, let verdict = try await receipt.verdict(on: refusal) {
            if verdict == .accept { throw NotAuthorized(.needsInteraction, challenge: refusal.challenges.first) }
            if let line = receipt.line, sessions.session?.line != line { throw NotAuthorized(.sessionReplaced) }
            return
        }
        try await session?.provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
    }
}

/// Judges the answers to a request to the resource.
private struct ResourceReceipt: BoundReceipt {
    let sessions: ResourceSessions
    /// The session of the request; `nil` if it went out without a credential.
    let number: Int?
    let line: UUID?
    let base: Credential?
    let isReplayable: Bool

    var wantsEveryAnswer: Bool { base?.wantsEveryAnswer ?? false }
    var isCurrent: Bool { sessions.session?.number == number && base?.isCurrent ?? true }

    func mayGo(to request: some AuthorizableRequest) -> Bool { sessions.place.contains(request) }

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        if let refusal = answer as? UnauthorizedResponse ?? answer.unauthorized, refusal.statusCode != 400,
            let verdict = try await verdict(on: refusal)
        {
            return verdict
        }
        return try await base?.judge(answer, afterRefresh: afterRefresh) ?? .accept
    }

    /// Gets what only a person can give.
    ///
    /// - Returns: a verdict that uses up no refresh; `nil` if the session's provider judges.
    func verdict(on refusal: UnauthorizedResponse) async throws -> Verdict? {
        let challenges = refusal.challenges
        let usable =
            challenges.first(where: \.requiresInteraction) ?? challenges.first { $0.resourceMetadata != nil }
            ?? challenges.first { $0.isScheme("Bearer") || $0.isScheme("DPoP") }
        // A server that demands without measure demands nothing.
        let isTooLong = usable.map { $0.scope.count > 50 || $0.parameters.values.joined().utf8.count > 4096 } ?? false
        let challenge = isTooLong ? nil : usable
        let mayBeToken = refusal.statusCode == 401 && usable?.requiresInteraction != true
        let reason = try await reason(challenge, refusesToken: mayBeToken && usable?.error?.contains("dpop") != true)
        guard let reason, !sessions.settings.signsInAlone || [.first, .otherServer].contains(reason) else { return nil }
        // The proof was answered, whatever a person has to give.
        let nonces = refusal.headerValues(for: "DPoP-Nonce").map { (name: "DPoP-Nonce", value: $0) }
        if wantsEveryAnswer { _ = try? await base?.judge(TokenResponse(statusCode: 200, fields: nonces)) }
        guard isReplayable else {
            if reason == .first { throw NotAuthorized(.noToken, challenge: challenge) }
            return .accept
        }
        return try await sessions.help(reason, challenge, sentIn: number) ? .newProof : .accept
    }

    /// Why a person must be asked; `nil` if a refresh may help, or nothing.
    private func reason(
        _ challenge: AuthenticationChallenge?, refusesToken: Bool
    ) async throws -> ResourceSignIn.Reason? {
        if number == nil { return .first }
        if let challenge, challenge.requiresInteraction {
            return challenge.error == "insufficient_scope" ? .scopes : .strongerLogIn
        }
        guard refusesToken else { return nil }
        guard let session = try await sessions.loaded(), session.number == number else { return .refusedToken }
        try await sessions.recheck(challenge)
        if sessions.isAbandoned(session) { return .otherServer }
        let hasNoRefreshToken = session.provider.currentToken.map { $0.refreshToken == nil } ?? false
        return hasNoRefreshToken && !sessions.settings.signsInAlone ? .refusedToken : nil
    }

    /// A request may go on in the session that it has waited for, unless that may be another person's.
    ///
    /// Within a session its provider decides.
    func admit(_ next: Credential) throws { try check(next) { try $0.admit($1) } }

    func checkSession(of next: Credential) throws { try check(next) { try $0.allowsToGoOn(with: $1) } }

    private func check(_ next: Credential, within session: (Credential, Credential) throws -> Void) throws {
        guard let own = next.receipts.lazy.compactMap({ $0 as? Self }).first, own.sessions === sessions,
            line == nil || own.line == nil || own.line == line
        else { throw NotAuthorized(.sessionReplaced) }
        if own.number == number, let base, let nextBase = own.base { try session(base, nextBase) }
    }
}
