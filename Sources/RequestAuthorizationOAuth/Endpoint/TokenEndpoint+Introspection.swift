// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import RequestAuthorization

extension TokenEndpoint {
    /// Asks what a token is worth (RFC 7662 §2.1).
    func introspect(_ token: String, hint: String) async throws -> TokenIntrospection {
        let url = try server.endpoint(server.introspectionEndpoint, named: "introspection_endpoint")
        return try TokenIntrospection(
            try await object([("token", token), ("token_type_hint", hint)], to: url), quirks: server.quirks)
    }
}
