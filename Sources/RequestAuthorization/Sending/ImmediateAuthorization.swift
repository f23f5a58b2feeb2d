// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A provider that as a rule has its credential at hand: a client that would have to prepare for waiting asks it first.
package protocol ImmediateAuthorization: AuthorizationProvider {
    /// The names of all header fields that it sets, in lower case; it sets them with `setCredential(_:in:)` and checked values.
    ///
    /// Whoever knows them need not find out what a provider did: that costs more than the credential.
    var credentialFields: Set<String> { get }

    /// Returns what ``AuthorizationProvider/authorize(_:)`` would, if that can be had without waiting; else `nil`.
    func authorizeAtOnce<Request: AuthorizableRequest>(_ request: Request) throws -> Request?

    /// Whether a sibling process has replaced the session in which a request was authorized, so that it must not be authorized anew.
    func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool
}

extension ImmediateAuthorization {
    package var credentialFields: Set<String> { CredentialFields.authorization }

    package func isReplaced<Request: AuthorizableRequest>(_ authorized: Request) -> Bool { false }
}
