// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Scenario {
    /// Which authorization server a client trusts.
    static let servers = [
        Scenario(
            "resource-mismatch", "not authorize with metadata of another resource",
            checks: [.resourceMetadata, .noSignIn]
        ) {
            $0.fault = .metadata
            $0.resource.hasOpenHandshake = true
            $0.resource.identifier = .other(ServerConduct.evil + "/mcp")
            $0.otherServer = ServerConduct(role: .otherServer)
        },

        Scenario(
            "authorization-server-migration", "read the metadata again, and register at the new server",
            checks: [.newRegistration, .calls]
        ) {
            $0.resource.hasOpenHandshake = true
            $0.resource.challengeScopes = ["mcp:basic"]
            $0.resource.moves = true
            $0.otherServer = ServerConduct(role: .otherServer)
        },

        Scenario(
            "metadata-issuer-mismatch", "use nothing of metadata that name another issuer",
            checks: [.serverMetadata, .noSignIn]
        ) {
            $0.fault = .metadata
            $0.resource.hasOpenHandshake = true
            $0.server.statedIssuer = ServerConduct.evil
            $0.server.endpointRole = .otherServer
            $0.otherServer = ServerConduct(role: .otherServer)
        },
    ]
}
#endif
