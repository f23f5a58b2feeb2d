// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Chooses a provider by the origin of each request, for a program that calls several APIs through one client.
///
///     let auth = OriginAuthorization([
///         "https://api.spotify.com": spotify,
///         "https://api.widgets.example": .header("X-API-Key", key),
///     ])
public struct OriginAuthorization: AuthorizationProvider, RedactedDescription {
    private let origins: ListedOrigins
    private let providers: [any AuthorizationProvider]
    private let elsewhere: OtherOrigins

    /// Creates a provider from one provider for each origin.
    ///
    /// - Parameters:
    ///   - providers: the providers by the origin whose requests they authorize.
    ///   - elsewhere: what happens to requests for other origins; refused by default. `.use(provider)` names a
    ///     fallback, whose credential then goes to any other origin.
    public init(_ providers: [Origin: any AuthorizationProvider], elsewhere: OtherOrigins = .refuse) {
        origins = ListedOrigins(Array(providers.keys))
        self.providers = Array(providers.values)
        self.elsewhere = elsewhere
    }

    /// Returns the credential of the provider for the request's origin.
    ///
    /// - Throws: what that provider throws; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/originNotAllowed``
    ///   for other origins, unless `elsewhere` allows them.
    public func credential(for request: some AuthorizableRequest) async throws -> Credential {
        guard let place = origins.place(of: request) else { return try await elsewhere.credential(for: request) }
        return try await providers[place].credential(for: request)
    }

    public func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        guard let place = origins.place(of: request) else { return try elsewhere.credentialAtHand(for: request) }
        return try providers[place].credentialAtHand(for: request)
    }
}

extension OriginAuthorization: RefusalListener {
    package func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        guard let place = origins.place(of: request) else { return try await elsewhere.note(refusal, of: request) }
        try await providers[place].setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
    }
}
