// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Picks a provider by the origin of each request, for a program that talks to several APIs through one client.
///
///     let auth = OriginAuthorization([
///         "https://api.spotify.com": spotify,
///         "https://api.widgets.example": .header("X-API-Key", key),
///     ])
public struct OriginAuthorization: AuthorizationProvider, RedactedDescription {
    private let providers: [Origin: any AuthorizationProvider]
    private let elsewhere: OtherOrigins

    /// - Parameters:
    ///   - providers: by the origin whose requests they authorize.
    ///   - elsewhere: what happens to requests for other origins. Refused by default; `.use(provider)` names a fallback,
    ///     whose credential then goes to any other origin.
    public init(_ providers: [Origin: any AuthorizationProvider], elsewhere: OtherOrigins = .refuse) {
        self.providers = providers
        self.elsewhere = elsewhere
    }

    /// Returns the request with the credential of the provider for its origin.
    ///
    /// - Throws: what that provider throws; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/originNotAllowed`` if
    ///   there is none, unless told otherwise.
    public func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        guard let provider = listedProvider(for: request) else { return try await elsewhere.authorize(request) }
        return try await provider.authorize(request)
    }

    /// Forwards to the provider that authorized the request; throws if none did.
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        let provider = try listedProvider(for: request) ?? elsewhere.provider(for: request)
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
    }

    /// The same without the response.
    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        let provider = try listedProvider(for: request) ?? elsewhere.provider(for: request)
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }

    private func listedProvider(for request: some AuthorizableRequest) -> (any AuthorizationProvider)? {
        request.origin.flatMap { providers[$0] }
    }
}

extension AuthorizationProvider where Self == OriginAuthorization {
    /// A provider for each origin.
    public static func byOrigin(
        _ providers: [Origin: any AuthorizationProvider], elsewhere: OtherOrigins = .refuse
    ) -> OriginAuthorization {
        OriginAuthorization(providers, elsewhere: elsewhere)
    }
}
