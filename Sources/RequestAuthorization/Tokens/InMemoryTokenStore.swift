// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps a token while the process lives: for tests, previews, and sessions that end with the program.
///
///     let auth = RefreshableTokenAuthorization(service: service, store: InMemoryTokenStore())
///
/// Several providers with the same store see the same token, but each refreshes on its own. Share the provider instead.
public final class InMemoryTokenStore<Token: AuthorizationToken>: TokenStore, RedactedDescription {
    private let kept: Lock<StoredToken<Token>?>

    /// Creates a store.
    ///
    /// - Parameter stored: the first content; nothing by default.
    public init(_ stored: StoredToken<Token>? = nil) { kept = Lock(stored) }

    /// The present content.
    public var stored: StoredToken<Token>? { kept.withLock { $0 } }

    public func load() async throws -> StoredToken<Token>? { stored }
    public func save(_ stored: StoredToken<Token>) async throws { kept.withLock { $0 = stored } }
    public func clear() async throws { kept.withLock { $0 = nil } }
}
