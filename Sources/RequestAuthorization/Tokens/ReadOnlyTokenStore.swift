// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A view of a token store that only reads: for extensions and widgets, where the app refreshes.
///
///     let widget = RefreshableTokenAuthorization(service: service, store: store.readOnly)
///
/// A provider with it calls its token service for nothing and writes nothing. Once the token has expired, requests throw
/// ``NotAuthorized`` with the reason ``NotAuthorized/Reason/refreshedElsewhere``, until the app has refreshed it; that is
/// noticed by itself where the store announces ``TokenStore/changes``, else with the next request. Signing in or out counts
/// in this process alone.
public struct ReadOnlyTokenStore<Base: TokenStore>: TokenStore, RedactedDescription {
    private let base: Base

    /// Makes a view of a store.
    public init(_ base: Base) { self.base = base }

    public func load() async throws -> StoredToken<Base.Token>? { try await base.load() }

    public var isSharedBetweenDevices: Bool { base.isSharedBetweenDevices }

    /// - Throws: ``TokenStoreIsReadOnly``, always.
    public func save(_ stored: StoredToken<Base.Token>) async throws { throw TokenStoreIsReadOnly() }

    /// - Throws: ``TokenStoreIsReadOnly``, always.
    public func clear() async throws { throw TokenStoreIsReadOnly() }

    public var changes: AsyncStream<Void>? { base.changes }
}

extension TokenStore {
    /// A view of this store that only reads; see ``ReadOnlyTokenStore``.
    public var readOnly: ReadOnlyTokenStore<Self> { ReadOnlyTokenStore(self) }
}

/// A view that only reads was told to write.
public struct TokenStoreIsReadOnly: Error, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "this view of the token store only reads; write to the store itself" }
}

/// What a provider must neither refresh for nor write to.
protocol ReadOnlyStore {}

extension ReadOnlyTokenStore: ReadOnlyStore {}
