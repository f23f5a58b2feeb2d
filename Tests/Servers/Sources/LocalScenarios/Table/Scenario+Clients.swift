// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Scenario {
    /// How a client introduces and authenticates itself.
    static let clients = [
        Scenario(
            "basic-cimd", "use the URL of its metadata document as the client id", checks: [.document, .calls]
        ) { $0.server.takesDocuments = true },

        tokenEndpointAuthentication("basic", "client_secret_basic"),
        tokenEndpointAuthentication("post", "client_secret_post"),
        tokenEndpointAuthentication("none", "none"),

        Scenario(
            "pre-registration", "use the client that it was given", checks: [.givenClient, .calls]
        ) {
            $0.givenClient = .registeredByHand
            $0.server.registers = false
            $0.server.authenticationMethods = ["client_secret_basic"]
        },
    ]

    private static func tokenEndpointAuthentication(_ name: String, _ method: String) -> Scenario {
        Scenario(
            "token-endpoint-auth-" + name, "authenticate as registered; name the same resource in all requests",
            checks: [.registration, .exchange, .calls]
        ) { $0.server.authenticationMethods = [method] }
    }
}
#endif
