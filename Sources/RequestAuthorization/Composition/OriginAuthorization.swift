// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Chooses a provider by the origin of each request, for a program that calls several APIs through one client.
///
///     let auth = OriginAuthorization([
///         "https://api.spotify.com": spotify,
///         "https://api.widgets.example": .header("X-API-Key", key),
///     ])
public struct OriginAuthorization: AuthorizationProvider, SynchronousAuthorization, RedactedDescription {
    private let targets: ListedOrigins
    private let elsewhere: Elsewhere

    /// Creates a provider from one provider for each origin.
    ///
    /// - Parameters:
    ///   - providers: the providers by the origin whose requests they authorize.
    ///   - elsewhere: what happens to requests for other origins; refused by default. `.use(provider)` names a
    ///     fallback, whose credential then goes to any other origin.
    public init(_ providers: [Origin: any AuthorizationProvider], elsewhere: OtherOrigins = .refuse) {
        targets = ListedOrigins(providers.lazy.map { ($0.key, $0.value) })
        self.elsewhere = Elsewhere(elsewhere)
    }

    /// Returns the request with the credential of the provider for its origin.
    ///
    /// - Throws: what that provider throws; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/originNotAllowed``
    ///   for other origins, unless `elsewhere` allows them.
    public func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var authorized = request
        if try authorizeAtOnce(&authorized) { return authorized }
        return try await provider(for: request).authorize(request)
    }

    package func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        guard let target = targets.target(for: request) else { return try elsewhere.authorizeAtOnce(&request) }
        return try target.authorizeAtOnce(&request)
    }

    package func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        guard let target = targets.target(for: request) else { return elsewhere.credentialFields(for: request) }
        return target.credentialFields(for: request)
    }

    package func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool {
        targets.target(for: authorized)?.isReplaced(authorized) ?? elsewhere.isReplaced(authorized)
    }

    /// Forwards to the provider that authorized the request. Throws if there was none.
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        try await provider(for: request).setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
    }

    /// Forwards to the provider that authorized the request, without the response.
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        try await provider(for: request).setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }

    /// Forwards to the provider that authorized the request.
    public func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        from response: Response, to request: Request
    ) -> Bool {
        (try? provider(for: request))?.learn(from: response, to: request) ?? false
    }

    package func prove<Request: AuthorizableRequest>(
        _ authorized: Request, ifValidNow: Bool
    ) async throws -> Request? {
        try await (try? provider(for: authorized) as? any SynchronousAuthorization)?.prove(
            authorized, ifValidNow: ifValidNow)
    }

    /// - Throws: ``NotAuthorized`` if no provider authorizes such requests.
    private func provider(for request: some AuthorizableRequest) throws(NotAuthorized) -> any AuthorizationProvider {
        if let target = targets.target(for: request) { return target.provider }
        return try elsewhere.provider(for: request)
    }
}

extension AuthorizationProvider where Self == OriginAuthorization {
    /// Chooses a provider by the origin of each request; see ``OriginAuthorization``.
    ///
    /// - Parameters:
    ///   - providers: the providers by the origin whose requests they authorize.
    ///   - elsewhere: what happens to requests for other origins; refused by default.
    public static func byOrigin(
        _ providers: [Origin: any AuthorizationProvider], elsewhere: OtherOrigins = .refuse
    ) -> OriginAuthorization {
        OriginAuthorization(providers, elsewhere: elsewhere)
    }
}
