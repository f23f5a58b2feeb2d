// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension TokenStore {
    /// A read-only view of this store: for extensions and widgets, while the app refreshes.
    ///
    ///     let widget = RefreshableTokenAuthorization(service: service, store: store.readOnly)
    ///
    /// A provider with such a store never calls its token service and never writes. Once the token has expired, requests
    /// throw ``NotAuthorized`` with the reason ``NotAuthorized/Reason/refreshedElsewhere``, until the app has refreshed
    /// it. The provider notices that at once if the store announces ``TokenStore/changes``, else with the next request.
    /// Signing in or out counts in this process only.
    ///
    /// `save(_:)` and `clear()` always throw a ``TokenStoreError`` of the kind ``TokenStoreError/Kind/readOnly``. A
    /// damaged item is set aside, as by any other reader.
    public var readOnly: some TokenStore<Token> { ReadOnlyTokenStore(base: self) }
}

struct ReadOnlyTokenStore<Base: TokenStore>: TokenStore, RedactedDescription {
    let base: Base

    func load() async throws -> StoredToken<Base.Token>? { try await base.load() }
    func save(_ stored: StoredToken<Base.Token>) async throws { throw Self.refusal }
    func clear() async throws { throw Self.refusal }
    var isSharedBetweenDevices: Bool { base.isSharedBetweenDevices }
    var changes: AsyncStream<Void>? { base.changes }

    private static var refusal: TokenStoreError {
        TokenStoreError(.readOnly, "this view only reads; write to the store itself")
    }
}

/// A store for which a provider must neither refresh nor write.
package protocol ReadOnlyStore<Token>: TokenStore {
    /// Returns what is stored, or why nothing is.
    func loadWithAbsence() async throws -> TokenWithIntent<Token>
}

extension ReadOnlyTokenStore: ReadOnlyStore {
    func loadWithAbsence() async throws -> TokenWithIntent<Token> {
        // Unlike this one, `loadWithIntent()` may remove an old tombstone.
        let stored = try await base.load()
        if stored == nil, let view = base as? any ReadOnlyStore<Token> { return try await view.loadWithAbsence() }
        guard stored == nil, let shared = base as? any SharedTokenStore<Token> else {
            return TokenWithIntent(stored, intent: nil)
        }
        return try await shared.loadWithIntent()
    }
}
