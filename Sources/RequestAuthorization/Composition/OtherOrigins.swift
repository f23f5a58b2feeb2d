// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What happens to a request for an origin that is not listed.
public enum OtherOrigins: Sendable {
    /// The request is refused with ``NotAuthorized``, and nothing is sent.
    case refuse
    /// The request is sent without a credential.
    case passThrough
    /// Another provider authorizes the request.
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

/// Performs the choice of an ``OtherOrigins``.
enum Elsewhere: Sendable {
    case refuse
    case passThrough
    case use(any AuthorizationProvider, synchronous: (any SynchronousAuthorization)?)

    init(_ origins: OtherOrigins) {
        switch origins {
        case .refuse: self = .refuse
        case .passThrough: self = .passThrough
        case .use(let provider): self = .use(provider, synchronous: provider as? any SynchronousAuthorization)
        }
    }

    /// Works like ``SynchronousAuthorization/authorizeAtOnce(_:)``. If it returns `false`, use ``provider(for:)``.
    func authorizeAtOnce(_ request: inout some AuthorizableRequest) throws -> Bool {
        switch self {
        case .refuse: throw Self.refusal(of: request)
        case .passThrough: true
        case .use(_, let synchronous): try synchronous?.authorizeAtOnce(&request) ?? false
        }
    }

    /// The fields that are set on the request; `nil` if they are not known.
    func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        switch self {
        case .refuse, .passThrough: []
        case .use(_, let synchronous): synchronous?.credentialFields(for: request)
        }
    }

    func isReplaced(_ authorized: some AuthorizableRequest) -> Bool {
        guard case .use(_, let synchronous?) = self else { return false }
        return synchronous.isReplaced(authorized)
    }

    /// The provider that authorizes the request.
    ///
    /// - Throws: ``NotAuthorized`` if there is none: a credential that was not sent cannot have been refused.
    func provider(for request: some AuthorizableRequest) throws(NotAuthorized) -> any AuthorizationProvider {
        guard case .use(let provider, _) = self else { throw Self.refusal(of: request) }
        return provider
    }

    private static func refusal(of request: some AuthorizableRequest) -> NotAuthorized {
        NotAuthorized(
            .originNotAllowed,
            detail: request.origin.map {
                "the provider has no credential for \($0); if it may have one, add it where the provider is restricted"
            } ?? "the request has no origin: its URL has no scheme or no host, or its type does not read them")
    }
}
