// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A request that a client is about to send to its authorization server, for a ``ClientAuthenticator``.
public struct ClientRequest: Sendable, RedactedDescription {
    /// The client's id.
    public let clientID: String
    /// The server, with its issuer and its endpoints.
    public let server: AuthorizationServer
    /// Where the request goes.
    public let endpoint: URL
    /// What the request says beside the proof.
    public let parameters: [(name: String, value: String)]
    /// The time of the client's clock.
    public let date: Date

    public init(
        clientID: String, server: AuthorizationServer, endpoint: URL, parameters: [(name: String, value: String)],
        date: Date
    ) {
        self.clientID = clientID
        self.server = server
        self.endpoint = endpoint
        self.parameters = parameters
        self.date = date
    }
}
