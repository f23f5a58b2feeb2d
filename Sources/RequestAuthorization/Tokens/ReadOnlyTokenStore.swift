// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A read-only view of a token store: for extensions and widgets, while the app refreshes.
///
///     let widget = RefreshableTokenAuthorization(service: service, store: store.readOnly)
///
/// A provider with such a store never calls its token service and never writes. Once the token has expired, requests
/// throw ``NotAuthorized`` with the reason ``NotAuthorized/Reason/refreshedElsewhere``, until the app has refreshed it.
/// The provider notices that at once if the store announces ``TokenStore/changes``, else with the next request. Signing
/// in or out counts in this process only.
public struct ReadOnlyTokenStore<Base: TokenStore>: TokenStore, RedactedDescription {
    private let base: Base

    public init(_ base: Base) { self.base = base }

    public func load() async throws -> StoredToken<Base.Token>? { try await base.load() }

    public var isSharedBetweenDevices: Bool { base.isSharedBetweenDevices }

    /// Refuses to save.
    ///
    /// - Throws: ``TokenStoreIsReadOnly``, always.
    public func save(_ stored: StoredToken<Base.Token>) async throws { throw TokenStoreIsReadOnly() }

    /// Refuses to clear.
    ///
    /// - Throws: ``TokenStoreIsReadOnly``, always.
    public func clear() async throws { throw TokenStoreIsReadOnly() }

    public var changes: AsyncStream<Void>? { base.changes }
}

extension TokenStore {
    /// A read-only view of this store; see ``ReadOnlyTokenStore``.
    public var readOnly: ReadOnlyTokenStore<Self> { ReadOnlyTokenStore(self) }
}

/// A read-only view of a store was asked to write.
public struct TokenStoreIsReadOnly: Error, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "this view of the token store is read-only; write to the store itself" }
}

/// A store for which a provider must neither refresh nor write.
protocol ReadOnlyStore {}

extension ReadOnlyTokenStore: ReadOnlyStore {}
