// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The site's data about each browser.
///
/// A browser that has begun to log in is a *visitor*, with the data to finish its log-in. After the log-in it is a
/// *session*, with its account. The session has a new id. An id that an attacker planted before the log-in (session
/// fixation) is worthless after it.
protocol BrowserSessions<Pending, Account>: Sendable {
    associatedtype Pending: Sendable
    associatedtype Account: Sendable

    /// Stores a pending log-in of a browser.
    ///
    /// - Returns: the id of the browser: the given one if it is a visitor's, else a new one.
    func add(_ pending: Pending, of id: SessionSecret?) async throws -> SessionSecret

    /// Whether an id belongs to a visitor.
    func isVisitor(_ id: SessionSecret?) async throws -> Bool

    /// Removes and returns the pending log-in that matches a callback. It finds only log-ins of the same browser.
    func take(of id: SessionSecret?, where matches: @Sendable (Pending) -> Bool) async throws -> Pending?

    /// Begins the session of a browser that has logged in, and removes its former data.
    func begin(_ account: Account, insteadOf id: SessionSecret?) async throws -> Session<Account>

    /// The session of a browser, if it is logged in.
    func session(of id: SessionSecret?) async throws -> Session<Account>?

    /// Removes the data of a browser.
    func end(_ id: SessionSecret?) async throws
}
