// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How a person is asked to sign in.
///
/// A sign-out cancels `ask` and `show`. If one of them pays no attention to that, its result is dropped, and the next
/// sign-in does not wait for it. It waits for the end of a receiver, whose port is free then.
///
///     signIn: .through(.loopback, show: { page in print("Open", page) }) { ask in
///         terminal.confirm("\(ask.resource) wants \(ask.scopes) from \(ask.issuer)")
///     }
public struct ResourceSignIn: Sendable, RedactedDescription {
    /// Why a person is asked. Its description is a short label without secrets, for metrics.
    public struct Reason: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// Nobody has signed in here yet, or the program asks for it.
        public static let first = Reason(label: "first sign-in")
        /// A request needs scopes that the token does not have (RFC 6750 §3.1).
        public static let scopes = Reason(label: "further scopes")
        /// A request needs a stronger or more recent log-in (RFC 9470).
        public static let strongerLogIn = Reason(label: "stronger log-in")
        /// The resource is guarded by another authorization server now.
        public static let otherServer = Reason(label: "other server")
        /// The resource refuses a token that cannot be refreshed.
        public static let refusedToken = Reason(label: "refused token")
    }

    /// Who asks whom for what. The texts hold no control characters; they come from the servers all the same.
    public struct Request: Sendable, Hashable {
        /// The resource that the token will be for: the URL, or a parent of it whose parts all accept the token.
        public let resource: String
        /// The URL of the server on whose page the person signs in, in ASCII. Show it first.
        public let issuer: String
        /// All scopes that the token is to have.
        public let scopes: Set<String>
        /// The scopes that were not requested before.
        public let newScopes: Set<String>
        /// Why a person is needed.
        public let reason: Reason
    }

    /// Nobody is asked: calls that need a person throw at once.
    public static let never = ResourceSignIn(way: nil) { _ in false }

    /// Asks, and then signs in through a receiver.
    ///
    /// - Parameters:
    ///   - receiver: shows the page and receives its callback, or receives it only.
    ///   - show: shows the page, if the receiver does not do so itself.
    ///   - ask: returns whether the page may be shown. No page is shown without it; `false` counts as a refusal.
    public static func through(
        _ receiver: some CallbackReceiver,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void = { _ in },
        ask: nonisolated(nonsending) @escaping @Sendable (Request) async throws -> Bool
    ) -> ResourceSignIn {
        ResourceSignIn(way: .callback(receiver, show: show), ask: ask)
    }

    /// Asks, and then signs in on another device (RFC 8628): for programs that no browser can call back.
    ///
    /// - Parameters:
    ///   - show: shows ``DeviceSignIn/instructions``. It is cancelled when the token is there.
    ///   - ask: returns whether the code may be shown; `false` counts as a refusal.
    public static func onAnotherDevice(
        show: nonisolated(nonsending) @escaping @Sendable (DeviceSignIn) async throws -> Void,
        ask: nonisolated(nonsending) @escaping @Sendable (Request) async throws -> Bool
    ) -> ResourceSignIn {
        ResourceSignIn(way: .device(show: show), ask: ask)
    }

    enum Way: Sendable {
        case callback(any CallbackReceiver, show: @Sendable (URL) async throws -> Void)
        case device(show: @Sendable (DeviceSignIn) async throws -> Void)
    }

    /// `nil` if nobody is asked.
    let way: Way?
    let ask: @Sendable (Request) async throws -> Bool
}

extension ResourceSignIn.Request {
    init(_ found: ProtectedResource, _ scopes: Set<String>, since former: Set<String>, _ reason: ResourceSignIn.Reason)
    {
        resource = TerminalText.clean(found.identifier)
        // Encoded: letters that look alike, or a sentence behind the host, would mislead the person.
        let server = found.server.issuer.flatMap { URL(string: $0) } ?? found.server.tokenEndpoint
        issuer = TerminalText.clean(server?.absoluteString ?? "")
        self.scopes = Set(scopes.map { TerminalText.clean($0) })
        newScopes = Set(scopes.subtracting(former).map { TerminalText.clean($0) })
        self.reason = reason
    }
}

// MARK: -

/// Calls a closure of the program, which may block its thread, and may pay no attention to cancellation.
///
/// After a sign-out it must not keep the lock, for which the next sign-in waits.
func callingProgram<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await endingAtOnce {
        await Task.yield()  // It begins on the thread of the caller, which is that of an actor.
        try Task.checkCancellation()
        return try await body()
    }
}

/// One sign-in of a person at one server, from the registration to the token.
struct ResourceSignInAttempt: Sendable {
    typealias Outcome = (record: ResourceRecord, service: OAuthTokenService, token: OAuthToken)

    let settings: ResourceSettings
    let found: ProtectedResource
    /// Whether the program has named the server.
    let isKnown: Bool
    /// The line that goes on; see ``ResourceRecord/line``.
    let line: UUID?
    let scopes: Set<String>
    /// What the resource demands of the sign-in.
    let parameters: [String: String]
    /// The client that signs in, as soon as it is registered.
    private let began = Lock<(record: ResourceRecord, service: OAuthTokenService)?>(nil)

    /// Signs in off the caller's actor, because a receiver of the program may block its thread.
    @concurrent
    func run(through way: ResourceSignIn.Way) async throws -> Outcome {
        do {
            switch way {
            case .callback(let receiver, let show):
                let server = found.server
                // A client that does not register itself has redirect URIs that its server knows already.
                if try server.clientWithoutRegistration(settings.identity) != nil {
                    return try await signIn(through: receiver, show)
                }
                let registered = try await settings.records.registrations(at: server.issuer ?? "").lazy
                    .compactMap(\.redirectURI).first
                // RFC 9700 §4.4.2: a path of its own for a server that does not name itself in callbacks. The path is
                // made first: the registered redirect URI has it too.
                let issuer = server.announcesIssuer ? nil : server.issuer
                let dedicated = issuer.map { receiver.dedicated(to: $0) } ?? receiver
                return try await signIn(through: registered.map { dedicated.preferring($0) } ?? dedicated, show)
            case .device(let show): return try await signIn(showing: show)
            }
        } catch {
            if let registration = began.withLock({ $0?.record.registration }), let issuer = registration.issuer,
                way.isOfUnknownClient(error, at: found.server)
            {
                await settings.records.forget(registration.client, at: issuer)
            }
            throw error
        }
    }

    /// Shows the page, and exchanges the code.
    private func signIn(
        through receiver: any CallbackReceiver, _ show: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> Outcome {
        var parameters = parameters
        if scopes.contains(ProtectedResource.offlineAccess) { parameters["prompt"] = "consent" }
        let callback = try await receiver.callback(
            for: { [parameters] redirectURI in
                try await begin(redirectURI).service.pending(scopes, redirectURI, parameters)
            }, show: { page in try await callingProgram { try await show(page) } })
        guard let (record, service) = began.withLock({ $0 }) else { throw SignInError(.foreign) }
        return (record, service, try await service.finish(callback: callback))
    }

    /// Shows a code, and waits until the person has entered it on another device.
    private func signIn(
        showing show: @escaping @Sendable (DeviceSignIn) async throws -> Void
    ) async throws -> Outcome {
        // A server that cannot do it needs no registration.
        _ = try found.server.endpoint(
            found.server.deviceAuthorizationEndpoint, named: "device_authorization_endpoint")
        let (record, service) = try await begin(nil)
        let device = try await service.deviceSignIn(scopes: scopes, parameters: parameters)
        return try await withThrowingTaskGroup(of: OAuthToken?.self) { group in
            group.addTask {
                try await callingProgram { try await show(device) }
                return nil
            }
            group.addTask { try await device.token() }
            for try await case let token? in group {
                group.cancelAll()
                return (record, service, token)
            }
            throw CancellationError()
        }
    }

    private func begin(_ redirectURI: String?) async throws -> (record: ResourceRecord, service: OAuthTokenService) {
        let registration = try await found.server.register(
            settings.identity, redirectURI: redirectURI, records: settings.records, transport: settings.transport,
            clock: settings.clock)
        let record = ResourceRecord(
            resource: found, registration: registration, requested: scopes, isKnown: isKnown, line: line)
        let beginning = (record, settings.service(for: record))
        began.withLock { $0 = beginning }
        return beginning
    }
}

extension ResourceSignIn.Way {
    /// Whether a server that no longer knows a client answers so. Many show a page of their own, and never come back.
    fileprivate func isOfUnknownClient(_ error: any Error, at server: AuthorizationServer) -> Bool {
        if (error as? TokenEndpointError)?.code == "invalid_client" { return true }
        guard let error = error as? SignInError else { return false }
        guard error.kind == .expired else { return ["invalid_client", "unauthorized_client"].contains(error.code) }
        // A code that was not entered in time says nothing about the client. A guess must not cost the only one.
        if case .callback = self { return server.registrationEndpoint != nil } else { return false }
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
