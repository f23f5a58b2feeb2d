// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps a token across launches.
///
/// A provider that was given a store loads from it on first use, saves to it before anybody gets a new token, and clears it
/// on sign-out. It calls one method at a time. A store that only one process uses needs three methods:
///
///     actor DefaultsStore: TokenStore {
///         func load() async throws -> StoredToken<MyToken>? { … }
///         func save(_ stored: StoredToken<MyToken>) async throws { … }
///         func clear() async throws { … }
///     }
///
/// `TokenStoreChecks` of `RequestAuthorizationTesting` proves a conformance.
public protocol TokenStore<Token>: Sendable {
    associatedtype Token: AuthorizationToken

    /// Reads what is kept.
    ///
    /// - Returns: `nil` if there is nothing, and only then.
    /// - Throws: any error if that cannot be known now (a locked Keychain, an unreachable database). It signs nobody out.
    func load() async throws -> StoredToken<Token>?

    /// Replaces what is kept, durably: a crash after it has returned loses nothing.
    func save(_ stored: StoredToken<Token>) async throws

    /// Removes what is kept; nothing being there is no error.
    func clear() async throws

    /// An element for each change that may have been made elsewhere, by a sibling process for instance. `nil` by default.
    ///
    /// The provider then loads again and follows.
    var changes: AsyncStream<Void>? { get }

    /// Whether programs on other devices use what is kept here; `false` by default.
    ///
    /// A token whose key cannot leave the device is refused then; see ``AuthorizationToken/isBoundToDevice``.
    var isSharedBetweenDevices: Bool { get }
}

extension TokenStore {
    public var changes: AsyncStream<Void>? { nil }
    public var isSharedBetweenDevices: Bool { false }
}
