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
