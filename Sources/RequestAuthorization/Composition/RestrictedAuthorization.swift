// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Restricts a provider to origins, so that its credential goes nowhere else. Create it with
/// `restricted(to:allowingPlaintext:elsewhere:)`.
public struct RestrictedAuthorization: AuthorizationProvider, RedactedDescription {
    fileprivate let provider: any AuthorizationProvider
    fileprivate let origins: ListedOrigins
    fileprivate let allowsPlaintext: Bool
    fileprivate let elsewhere: OtherOrigins

    /// Returns the provider's credential if the request goes to one of the origins.
    ///
    /// - Throws: what the provider throws; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/originNotAllowed``
    ///   for other origins, unless `elsewhere` allows them, and with ``NotAuthorized/Reason/insecureTransport`` for a
    ///   plain `http` origin that is not allowed.
    public func credential(for request: some AuthorizableRequest) async throws -> Credential {
        guard origins.place(of: request) != nil else { return try await elsewhere.credential(for: request) }
        guard request.isPlaintext else { return try await provider.credential(for: request) }
        if !allowsPlaintext { try request.refusePlaintext() }
        return try await provider.credential(for: PlaintextAllowed(request: request)).allowing(plaintext: true)
    }

    public func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        guard origins.place(of: request) != nil else { return try elsewhere.credentialAtHand(for: request) }
        guard !allowsPlaintext, let credential = try provider.credentialAtHand(for: request) else {
            return allowsPlaintext ? try credentialAtHand(allowing: request) : nil
        }
        // `set(_:)` refuses plain http, but for a provider behind this one that allows it or sets nothing.
        if credential.allowsPlaintext || credential.isBare { try request.refusePlaintext() }
        return credential
    }

    /// Not inlined: looking up the type `PlaintextAllowed` at run time would slow down every call.
    @inline(never)
    private func credentialAtHand(allowing request: some AuthorizableRequest) throws -> Credential? {
        guard request.isPlaintext else { return try provider.credentialAtHand(for: request) }
        return try provider.credentialAtHand(for: PlaintextAllowed(request: request))?.allowing(plaintext: true)
    }
}

extension RestrictedAuthorization: RefusalListener {
    /// Tells the provider. Throws if it did not authorize the request: another origin's 401 refreshes nothing.
    package func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        guard origins.place(of: request) != nil else { return try await elsewhere.note(refusal, of: request) }
        guard request.isPlaintext else {
            return try await provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
        }
        if !allowsPlaintext { try request.refusePlaintext() }
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: PlaintextAllowed(request: request))
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
        RestrictedAuthorization(
            provider: self, origins: ListedOrigins(Array(origins)), allowsPlaintext: allowingPlaintext,
            elsewhere: elsewhere)
    }
}

/// A view of a request to a plain `http` origin that was explicitly allowed.
struct PlaintextAllowed<Request: AuthorizableRequest>: RequestView {
    var request: Request

    var isPlaintext: Bool { false }
}
