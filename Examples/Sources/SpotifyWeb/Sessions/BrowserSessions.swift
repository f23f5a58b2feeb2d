// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the site knows of each browser.
///
/// A browser that has begun to log in is a *visitor* and holds what it needs to finish; after the log-in it is a *session*
/// and holds the account. The two have different ids: an id that an attacker planted in a browser before the log-in (session
/// fixation) is worth nothing after it.
protocol BrowserSessions<Pending, Account>: Sendable {
    associatedtype Pending: Sendable
    associatedtype Account: Sendable

    /// Notes a log-in that a browser has begun.
    ///
    /// - Returns: the browser's id: the one that it came with if that is a visitor's, else a new one.
    func add(_ pending: Pending, of id: SessionSecret?) async throws -> SessionSecret

    /// Whether a browser has begun to log in.
    func isVisitor(_ id: SessionSecret?) async throws -> Bool

    /// Takes out the log-in that a callback belongs to, once: what another browser has begun is never found.
    func take(of id: SessionSecret?, where matches: @Sendable (Pending) -> Bool) async throws -> Pending?

    /// Begins the session of a browser that has logged in; whatever it was before is forgotten.
    func begin(_ account: Account, insteadOf id: SessionSecret?) async throws -> Session<Account>

    /// The session of a browser, if it is logged in.
    func session(of id: SessionSecret?) async throws -> Session<Account>?

    /// Forgets a browser.
    func end(_ id: SessionSecret?) async throws
}
