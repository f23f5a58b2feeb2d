// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps a token across launches.
///
/// A provider loads from its store on first use, saves a new token before using it, and clears the store on sign-out.
/// It calls one method at a time. A store for a single process needs three methods:
///
///     actor DefaultsStore: TokenStore {
///         func load() async throws -> StoredToken<MyToken>? { … }
///         func save(_ stored: StoredToken<MyToken>) async throws { … }
///         func clear() async throws { … }
///     }
///
/// Test a conformance with `TokenStoreChecks` of `RequestAuthorizationTesting`.
public protocol TokenStore<Token>: Sendable {
    associatedtype Token: AuthorizationToken

    /// Reads the content.
    ///
    /// - Returns: the content; `nil` only if the store is known to be empty.
    /// - Throws: any error if the content cannot be read now, as in a locked Keychain. It ends no session.
    func load() async throws -> StoredToken<Token>?

    /// Replaces the content durably: a crash after it has returned loses nothing.
    func save(_ stored: StoredToken<Token>) async throws

    /// Removes the content, for the next launch too. An empty store is no error.
    func clear() async throws

    /// Yields an element after each change that another process may have made. `nil` by default.
    ///
    /// The provider then loads the store again. Without elements it does so when a refresh is due. While a session is over,
    /// it reads a shared or read-only store for requests, once a second at most.
    ///
    /// Each provider asks until it gets a stream, and then no more. It asks in a task without task-local values.
    var changes: AsyncStream<Void>? { get }

    /// Whether programs on other devices use this store; `false` by default.
    ///
    /// If so, a token whose key cannot leave the device is refused; see ``AuthorizationToken/isBoundToDevice``.
    var isSharedBetweenDevices: Bool { get }
}

extension TokenStore {
    public var changes: AsyncStream<Void>? { nil }
    public var isSharedBetweenDevices: Bool { false }
}

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
    // The former token is released outside the lock: it may be a user's object.
    public func save(_ stored: StoredToken<Token>) async throws { _ = kept.exchange(stored) }
    public func clear() async throws { _ = kept.exchange(nil) }
}
