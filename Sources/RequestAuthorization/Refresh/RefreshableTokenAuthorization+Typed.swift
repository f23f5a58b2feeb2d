// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Tokens with and without their type.
extension RefreshableTokenAuthorization {
    /// The service, as the reporter wraps it.
    nonisolated var service: any RefreshableTokenService<Token> {
        core.reporter?.decorated(bareService) ?? bareService
    }

    /// Returns the token with the type that only this provider knows.
    ///
    /// The downcast is safe: the provider makes all of its tokens with this type, and their copies have it too.
    nonisolated func typed(_ held: HeldToken) -> TypedToken<Token> { unsafeDowncast(held, to: TypedToken<Token>.self) }

    nonisolated func hold(
        _ token: Token, version: TokenVersion, obtainedAt: Date, isFetched: Bool = false, claims: String? = nil,
        replacing former: HeldToken? = nil
    ) -> TypedToken<Token> {
        TypedToken(
            token, proof: TypedToken.proof(for: token, by: service, keptIn: store), version: version,
            obtainedAt: obtainedAt, isFetched: isFetched, claims: claims, replacing: former, policy: policy,
            random: settings.random(), keeper: self)
    }

    nonisolated func item(_ stored: StoredToken<Token>) -> StoredItem {
        let content: StoredItem.Content =
            switch stored.content {
            case .token(let token): .token(hold(token, version: stored.version, obtainedAt: stored.obtainedAt))
            case .signedOut: .signedOut
            case .moved(let place): .moved(to: place)
            }
        return StoredItem(content: content, version: stored.version, obtainedAt: stored.obtainedAt)
    }
}
