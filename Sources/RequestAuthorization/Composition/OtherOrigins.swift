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
