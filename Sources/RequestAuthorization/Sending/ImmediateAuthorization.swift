// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A provider that as a rule has its credential at hand: a client that would have to prepare for waiting asks it first.
package protocol ImmediateAuthorization: AuthorizationProvider {
    /// The names of all header fields that it sets on a request, in lower case; it sets them with `setCredential(_:in:)` and
    /// checked values. `nil` if a provider that is not one of ours authorizes the request.
    ///
    /// Whoever knows them need not find out what a provider did: that costs more than the credential.
    func credentialFields(for request: some AuthorizableRequest) -> Set<String>?

    /// Does to a request what ``AuthorizationProvider/authorize(_:)`` would, if that can be had without waiting.
    ///
    /// In place: a copy in an optional costs generic code as much as the lock and the clock together.
    ///
    /// - Returns: whether it has; if not, the request is unchanged.
    /// - Throws: what `authorize(_:)` would; the request is unchanged.
    func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool

    /// Makes a new proof for an authorized request, with the credential that it has; for a redirect, or after a wait.
    ///
    /// - Parameter ifValidNow: whether the credential must be the one that requests go out with at this moment.
    /// - Returns: `nil` if its credential needs no proof, or is not held any more.
    func prove<Request: AuthorizableRequest>(_ authorized: Request, ifValidNow: Bool) async throws -> Request?

    /// Whether a sibling process has replaced the session in which a request was authorized, so that it must not be authorized anew.
    func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool
}

extension ImmediateAuthorization {
    package func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        CredentialFields.authorization
    }

    /// Returns what ``AuthorizationProvider/authorize(_:)`` would, if that can be had without waiting; else `nil`.
    @inline(__always)
    package func authorizeAtOnce<Request: AuthorizableRequest>(_ request: Request) throws -> Request? {
        var request = request
        return try authorizeAtOnce(&request) ? request : nil
    }

    package func prove<Request: AuthorizableRequest>(
        _ authorized: Request, ifValidNow: Bool
    ) async throws -> Request? { nil }

    package func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool { false }
}
