// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A call of a token store.
public enum TokenStoreOperation<Token: AuthorizationToken>: Sendable {
    case load
    case save(StoredToken<Token>)
    case clear
    case lock(within: Duration)
    case unlock
    case loadWithIntent
    case conditionalSave(StoredToken<Token>, TokenSaveCondition, ending: RefreshIntent?)
    case setIntent(RefreshIntent?)

    /// The called method. Both ways of loading are one kind, and so are both ways of saving.
    public enum Kind: Hashable, Sendable {
        case load, save, clear, lock, unlock, setIntent
    }

    /// The called method.
    public var kind: Kind {
        switch self {
        case .load, .loadWithIntent: .load
        case .save, .conditionalSave: .save
        case .clear: .clear
        case .lock: .lock
        case .unlock: .unlock
        case .setIntent: .setIntent
        }
    }
}

extension TokenStoreOperation: Equatable where Token: Equatable {}
