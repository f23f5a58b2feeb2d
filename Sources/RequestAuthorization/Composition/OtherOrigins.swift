// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What happens to a request for an origin that is not listed.
public enum OtherOrigins: Sendable {
    /// The request is refused with ``NotAuthorized``, and nothing is sent.
    case refuse
    /// The request is sent without a credential. A provider around this one adds no field either.
    case passThrough
    /// Another provider authorizes the request.
    case use(any AuthorizationProvider)
}

extension OtherOrigins: OwnDescription {
    @usableFromInline package var ownDescription: String {
        switch self {
        case .refuse: "refuse"
        case .passThrough: "passThrough"
        case .use: "use([redacted])"
        }
    }
}

extension OtherOrigins {
    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        switch self {
        case .refuse: throw Self.refusal(of: request)
        case .passThrough: .passedThrough
        case .use(let provider): try await provider.credential(for: request)
        }
    }

    func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        switch self {
        case .refuse: throw Self.refusal(of: request)
        case .passThrough: .passedThrough
        case .use(let provider): try provider.credentialAtHand(for: request)
        }
    }

    /// Tells the provider of such requests.
    ///
    /// - Throws: ``NotAuthorized`` if there is none: a credential that was not sent cannot have been refused.
    func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        guard case .use(let provider) = self else { throw Self.refusal(of: request) }
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
    }

    private static func refusal(of request: some AuthorizableRequest) -> NotAuthorized {
        NotAuthorized(
            .originNotAllowed,
            detail: request.origin.map {
                "the provider has no credential for \($0); if it may have one, add it where the provider is restricted"
            } ?? "the request has no origin: its URL has no scheme or no host, or its type does not read them")
    }
}
