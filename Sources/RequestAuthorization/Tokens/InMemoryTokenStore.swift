// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps a token as long as the process lives: for tests, previews, and sessions that shall end with the program.
///
///     let auth = RefreshableTokenAuthorization(service: service, store: InMemoryTokenStore())
///
/// Several providers that are given the same object see the same token, but each refreshes on its own: share the provider.
public final class InMemoryTokenStore<Token: AuthorizationToken>: TokenStore, RedactedDescription {
    private let kept: Lock<StoredToken<Token>?>

    /// Makes a store.
    ///
    /// - Parameter stored: what is in it; nothing by default.
    public init(_ stored: StoredToken<Token>? = nil) { kept = Lock(stored) }

    /// What is kept now.
    public var stored: StoredToken<Token>? { kept.withLock { $0 } }

    public func load() async throws -> StoredToken<Token>? { stored }
    public func save(_ stored: StoredToken<Token>) async throws { kept.withLock { $0 = stored } }
    public func clear() async throws { kept.withLock { $0 = nil } }
}
