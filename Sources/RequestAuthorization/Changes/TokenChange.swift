// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A change of a provider's token.
public enum TokenChange<Token: AuthorizationToken>: Sendable {
    /// This token is used from now on: it was loaded, refreshed, set or adopted from a sibling.
    case tokenUpdated(Token)
    /// The session is over: sign in again. Not sent just because nothing is loaded yet.
    case tokenInvalidated(NotAuthorized)

    /// Whether requests can be authorized now.
    public var isAuthorized: Bool {
        if case .tokenUpdated = self { true } else { false }
    }
}

extension TokenChange {
    /// - Parameter notice: from a provider of this type of token; see `RefreshableTokenAuthorization.typed(_:)`.
    init(_ notice: TokenNotice) {
        self =
            switch notice {
            case .updated(let held): .tokenUpdated(unsafeDowncast(held, to: TypedToken<Token>.self).token)
            case .invalidated(let error): .tokenInvalidated(error)
            }
    }
}

extension TokenChange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .tokenUpdated: "tokenUpdated([redacted])"
        case .tokenInvalidated(let error): "tokenInvalidated(\(error.reason))"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
