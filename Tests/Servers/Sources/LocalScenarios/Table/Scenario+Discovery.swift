// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Scenario {
    /// Where the metadata are.
    static let discovery = [
        Scenario(
            "metadata-default", "follow the challenge, not the root",
            checks: [.resourceMetadata, .serverMetadata, .registration, .calls]
        ) { $0.resource.trapsRootMetadata = true },

        Scenario(
            "metadata-var1", "fall back to the well-known path, and to OpenID's metadata",
            checks: [.resourceMetadata, .serverMetadata, .registration, .calls]
        ) {
            $0.resource.challengeNamesMetadata = false
            $0.server.metadataPath = ServerConduct.openIDRootPath
        },

        Scenario(
            "metadata-var2", "accept the origin as the resource; insert the well-known path before the issuer's",
            checks: [.resourceMetadata, .serverMetadata, .registration, .calls]
        ) {
            $0.resource.challengeNamesMetadata = false
            $0.resource.metadataPath = ResourceConduct.rootPath
            $0.resource.identifier = .origin
            $0.server.path = "/tenant1"
            $0.server.endpointPath = "/tenant1"
            $0.server.metadataPath = ServerConduct.rootPath + "/tenant1"
            $0.server.trapsRootMetadata = true
        },

        Scenario(
            "metadata-var3", "use the place in the challenge; append OpenID's path to the issuer's",
            checks: [.resourceMetadata, .serverMetadata, .registration, .calls]
        ) {
            $0.resource.metadataPath = "/custom/metadata/location.json"
            $0.server.path = "/tenant1"
            $0.server.endpointPath = "/tenant1"
            $0.server.metadataPath = "/tenant1" + ServerConduct.openIDRootPath
            $0.server.trapsRootMetadata = true
        },
    ]

    /// Servers of MCP 2025-03-26, which have no metadata of the resource.
    static let backCompatibility = [
        Scenario(
            "2025-03-26-oauth-metadata-backcompat", .backCompatibility,
            "treat the resource's origin as the issuer", checks: [.serverMetadata, .registration, .calls]
        ) {
            $0.resource.metadataPath = nil
            $0.server.role = .resource
            $0.server.endpointPath = "/oauth"
        },

        Scenario(
            "2025-03-26-oauth-endpoint-fallback", .backCompatibility,
            "use /authorize, /token and /register of the resource's origin", checks: [.registration, .calls]
        ) {
            $0.resource.metadataPath = nil
            $0.server.role = .resource
            $0.server.metadataPath = nil
        },
    ]
}
#endif
