// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Scenario {
    /// Which scopes a client asks for.
    static let scopes = [
        Scenario(
            "scope-from-www-authenticate", "ask for the scopes of the challenge, and no others",
            checks: [.asks(for: ["mcp:basic"]), .calls]
        ) {
            $0.resource.challengeScopes = ["mcp:basic"]
            $0.resource.scopesSupported = ["mcp:basic", "mcp:write"]
        },

        Scenario(
            "scope-from-scopes-supported", "ask for all scopes of the resource's metadata",
            checks: [.asks(for: ["mcp:basic", "mcp:read", "mcp:write"]), .calls]
        ) { $0.resource.scopesSupported = ["mcp:basic", "mcp:read", "mcp:write"] },

        Scenario(
            "scope-omitted-when-undefined", "send no scope", checks: [.asks(for: []), .calls]),

        Scenario(
            "scope-step-up", "sign in again with the union of the scopes, and send the call again",
            checks: [.asks(for: ["mcp:basic"]), .union, .calls]
        ) {
            $0.resource.hasOpenHandshake = true
            $0.resource.challengeScopes = ["mcp:basic"]
            $0.resource.scopesOfMethods = ["tools/list": ["mcp:basic"], "tools/call": ["mcp:basic", "mcp:write"]]
        },

        Scenario(
            "scope-retry-limit", "stop after three authorization requests at most", checks: [.authorization]
        ) {
            $0.fault = .scopes
            $0.resource.hasOpenHandshake = true
            $0.resource.challengeScopes = ["mcp:basic"]
        },

        Scenario(
            "offline-access-scope", "register for refresh_token; offline_access may be asked for",
            checks: [.asks(for: ["mcp:basic"], optional: ["offline_access"]), .refreshGrant, .calls]
        ) {
            $0.resource.scopesSupported = ["mcp:basic"]
            $0.server.scopesSupported = ["mcp:basic", "offline_access"]
        },

        Scenario(
            "offline-access-not-supported", "not ask for offline_access",
            checks: [.asks(for: ["mcp:basic", "mcp:read"]), .calls]
        ) {
            $0.resource.scopesSupported = ["mcp:basic", "mcp:read"]
            $0.server.scopesSupported = ["mcp:basic", "mcp:read"]
        },
    ]
}
#endif
