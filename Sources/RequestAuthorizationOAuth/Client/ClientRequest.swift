// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A request that a client is about to send to its authorization server, for a ``ClientAuthenticator``.
public struct ClientRequest: Sendable, RedactedDescription {
    public let clientID: String
    public let server: AuthorizationServer
    /// The URL that the request is sent to.
    public let endpoint: URL
    /// The parameters of the request, without the proof.
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
