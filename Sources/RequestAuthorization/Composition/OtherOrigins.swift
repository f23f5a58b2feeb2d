// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What happens to a request for an origin that a provider was not given.
public enum OtherOrigins: Sendable {
    /// It is refused with ``NotAuthorized``: nothing is sent.
    case refuse
    /// It goes on as it is, without a credential.
    case passThrough
    /// Another provider authorizes it.
    case use(any AuthorizationProvider)
}

extension OtherOrigins: RedactedDescription {
    public var description: String {
        switch self {
        case .refuse: "refuse"
        case .passThrough: "passThrough"
        case .use: "use([redacted])"
        }
    }
}

// MARK: - Performing it

extension OtherOrigins {
    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        switch self {
        case .refuse: throw Self.refusal(of: request)
        case .passThrough: request
        case .use(let provider): try await provider.authorize(request)
        }
    }

    /// The provider that answers for such a request.
    ///
    /// - Throws: ``NotAuthorized`` if there is none: a credential that was not sent cannot have been refused.
    func provider(for request: some AuthorizableRequest) throws(NotAuthorized) -> any AuthorizationProvider {
        guard case .use(let provider) = self else { throw Self.refusal(of: request) }
        return provider
    }

    private static func refusal(of request: some AuthorizableRequest) -> NotAuthorized {
        NotAuthorized(
            .originNotAllowed,
            detail: request.origin.map { "no credential is meant for \($0)" } ?? "the request has no origin")
    }
}
