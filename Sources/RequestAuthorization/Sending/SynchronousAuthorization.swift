// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A provider that can usually authorize without waiting. Clients try this path before the asynchronous one.
package protocol SynchronousAuthorization: AuthorizationProvider {
    /// The names of all header fields that it sets, in lower case; `nil` if a user's own provider sets them.
    ///
    /// It sets them with `setCredential(_:in:)` and checked values. Callers that know the names need not observe the
    /// provider, which costs more than the credential itself.
    func credentialFields(for request: some AuthorizableRequest) -> Set<String>?

    /// Authorizes a request like ``AuthorizationProvider/authorize(_:)``, if that is possible without waiting.
    ///
    /// It works in place: in generic code, a copy in an optional costs as much as the lock and the clock together.
    ///
    /// - Returns: whether the request was authorized; if not, it is unchanged.
    /// - Throws: what `authorize(_:)` throws; the request is unchanged.
    func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool

    /// Makes a new proof for an authorized request with its present credential, for a redirect or after a wait.
    ///
    /// - Parameter ifValidNow: whether the credential must be the one that requests use at this moment.
    /// - Returns: the request with the proof; `nil` if its credential needs no proof, or is no longer held.
    func prove<Request: AuthorizableRequest>(_ authorized: Request, ifValidNow: Bool) async throws -> Request?

    /// Whether a sibling has replaced the session of an authorized request, which must then not be authorized anew.
    func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool
}

extension SynchronousAuthorization {
    package func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        CredentialFields.authorization
    }

    /// Returns an authorized copy of the request, if that is possible without waiting; else `nil`.
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
