// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Restricts a provider to origins, so that its credential goes nowhere else. Create it with
/// `restricted(to:allowingPlaintext:elsewhere:)`.
public struct RestrictedAuthorization: AuthorizationProvider, SynchronousAuthorization, RedactedDescription {
    private let origins: ListedOrigins
    private let allowsPlaintext: Bool
    private let elsewhere: Elsewhere

    /// Restricts a provider to origins.
    ///
    /// - Parameters:
    ///   - provider: authorizes requests for the origins.
    ///   - origins: where the credential may go; scheme, host and port must be equal.
    ///   - allowingPlaintext: whether plain `http` origins among them may receive the credential too.
    ///   - elsewhere: what happens to requests for other origins.
    public init(
        _ provider: any AuthorizationProvider, to origins: Set<Origin>, allowingPlaintext: Bool = false,
        elsewhere: OtherOrigins = .refuse
    ) {
        self.origins = ListedOrigins(origins.lazy.map { ($0, provider) })
        self.allowsPlaintext = allowingPlaintext
        self.elsewhere = Elsewhere(elsewhere)
    }

    /// Returns the request with the provider's credential if it goes to one of the origins.
    ///
    /// - Throws: what the provider throws; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/originNotAllowed``
    ///   for other origins, unless `elsewhere` allows them, and with ``NotAuthorized/Reason/insecureTransport`` for a
    ///   plain `http` origin that is not allowed.
    public func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var authorized = request
        if try authorizeAtOnce(&authorized) { return authorized }
        return try await authorizeWaiting(request)
    }

    package func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        guard let target = origins.target(for: request) else { return try elsewhere.authorizeAtOnce(&request) }
        let isRefusedThere = !allowsPlaintext && target.refusesPlaintext
        guard !isRefusedThere, request.isPlaintext else { return try target.authorizeAtOnce(&request) }
        return try authorizePlaintextAtOnce(&request, by: target)
    }

    package func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        guard let target = origins.target(for: request) else { return elsewhere.credentialFields(for: request) }
        return target.credentialFields(for: request)
    }

    package func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool {
        origins.target(for: authorized)?.isReplaced(authorized) ?? elsewhere.isReplaced(authorized)
    }

    /// Forwards to the provider that authorized the request. Throws if there was none: another origin's 401 refreshes
    /// nothing.
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        guard let target = origins.target(for: request) else {
            return try await elsewhere.provider(for: request)
                .setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
        }
        guard request.isPlaintext else {
            return try await target.provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
        }
        try await target.provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: plaintextAllowed(request))
    }

    /// Forwards to the provider that authorized the request, without the response.
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        guard let target = origins.target(for: request) else {
            return try await elsewhere.provider(for: request).setNeedsRefreshAfterUnauthorizedResponse(for: request)
        }
        guard request.isPlaintext else {
            return try await target.provider.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        }
        try await target.provider.setNeedsRefreshAfterUnauthorizedResponse(for: plaintextAllowed(request))
    }

    /// Forwards to the provider that authorized the request.
    public func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool { provider(for: request)?.learn(from: response, to: request) ?? false }

    package func prove<Request: AuthorizableRequest>(
        _ authorized: Request, ifValidNow: Bool
    ) async throws -> Request? {
        try await (provider(for: authorized) as? any SynchronousAuthorization)?.prove(
            authorized, ifValidNow: ifValidNow)
    }

    private func provider(for request: some AuthorizableRequest) -> (any AuthorizationProvider)? {
        origins.target(for: request)?.provider ?? (try? elsewhere.provider(for: request))
    }

    // Both are not inlined: looking up the type `PlaintextAllowed` at run time would slow down every call.

    @inline(never)
    private func authorizePlaintextAtOnce<Request: AuthorizableRequest>(
        _ request: inout Request, by target: ForwardingTarget
    ) throws -> Bool {
        var allowed = try plaintextAllowed(request)
        guard try target.authorizeAtOnce(&allowed) else { return false }
        request = allowed.request
        return true
    }

    @inline(never)
    private func authorizeWaiting<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        guard let target = origins.target(for: request) else {
            return try await elsewhere.provider(for: request).authorize(request)
        }
        guard request.isPlaintext else { return try await target.provider.authorize(request) }
        return try await target.provider.authorize(plaintextAllowed(request)).request
    }

    private func plaintextAllowed<Request: AuthorizableRequest>(
        _ request: Request
    ) throws -> PlaintextAllowed<Request> {
        if !allowsPlaintext { try request.refusePlaintext() }
        return PlaintextAllowed(request: request)
    }
}

extension AuthorizationProvider {
    /// Restricts this provider to origins: scheme, host and port.
    ///
    ///     let auth = provider.restricted(to: "https://api.example.com")
    ///     let inside = provider.restricted(to: "http://ledger.internal:8080", allowingPlaintext: true)
    ///     let polite = provider.restricted(to: "https://api.example.com", elsewhere: .passThrough)
    ///
    /// Requests for other origins are refused by default. Without its credential such a request would fail later, with
    /// a 401 that names no cause. Choose ``OtherOrigins/passThrough`` for a provider that sees all requests of a
    /// program. A 401 of another origin never causes a refresh.
    ///
    /// - Parameters:
    ///   - origins: where the credential may go.
    ///   - allowingPlaintext: whether plain `http` origins among them may receive it too. Others on the network can
    ///     read it then. Loopback needs no permission.
    ///   - elsewhere: what happens to requests for other origins.
    public func restricted(
        to origins: Origin..., allowingPlaintext: Bool = false, elsewhere: OtherOrigins = .refuse
    ) -> RestrictedAuthorization {
        restricted(to: Set(origins), allowingPlaintext: allowingPlaintext, elsewhere: elsewhere)
    }

    /// Restricts this provider to origins that are known only at run time.
    ///
    /// - Parameters:
    ///   - origins: where the credential may go.
    ///   - allowingPlaintext: whether plain `http` origins among them may receive it too. Others on the network can
    ///     read it then.
    ///   - elsewhere: what happens to requests for other origins.
    public func restricted(
        to origins: Set<Origin>, allowingPlaintext: Bool = false, elsewhere: OtherOrigins = .refuse
    ) -> RestrictedAuthorization {
        RestrictedAuthorization(self, to: origins, allowingPlaintext: allowingPlaintext, elsewhere: elsewhere)
    }
}

/// A request to a plain `http` origin that was explicitly allowed. Otherwise it behaves like the wrapped request.
struct PlaintextAllowed<Request: AuthorizableRequest>: AuthorizableRequest {
    var request: Request

    var isPlaintext: Bool { false }

    var origin: Origin? { request.origin }
    func goes(to origin: Origin) -> Bool { request.goes(to: origin) }
    var isReplayable: Bool { request.isReplayable }
    var requestMethod: String? { request.requestMethod }
    var targetURI: String? { request.targetURI }
    var bodyBytes: [UInt8]? { request.bodyBytes }

    func credential(in field: String) -> String? { request.credential(in: field) }
    mutating func setCredential(_ value: String, in field: String) { request.setCredential(value, in: field) }
}
