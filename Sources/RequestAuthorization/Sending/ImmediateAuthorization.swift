// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A provider that as a rule has its credential at hand: a client that would have to prepare for waiting asks it first.
package protocol ImmediateAuthorization: AuthorizationProvider {
    /// Returns what ``AuthorizationProvider/authorize(_:)`` would, if that can be had without waiting; else `nil`.
    func authorizeAtOnce<Request: AuthorizableRequest>(_ request: Request) throws -> Request?
}
