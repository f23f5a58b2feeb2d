// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorization
@testable import RequestAuthorizationOAuth

extension Target {
    private static let clock = FixedClock()

    /// Metadata of an authorization server (RFC 8414).
    static let metadata = Target("metadata", shapes: jsonShapes) { input in
        let server = waiting {
            try await AuthorizationServer.discover(
                issuer: "https://id.example", transport: OneAnswer(body: input), clock: clock)
        }
        guard let server else { return }
        claim(server.issuer == "https://id.example", "another issuer")
        for (_, url) in server.namedEndpoints { _ = try? AuthorizationServer.check(url, named: "endpoint") }
        let kept = (try? JSONEncoder().encode(server)).flatMap {
            try? JSONDecoder().decode(AuthorizationServer.self, from: $0)
        }
        claim(kept == server, "the server is not kept as it is")
    }

    /// Metadata of a resource (RFC 9728).
    static let resourceMetadata = Target("resource-metadata", shapes: jsonShapes) { input in
        let document = waiting {
            try await ResourceDiscovery(
                of: "https://api.example/mcp", over: OneAnswer(body: input), clock: clock, allows: { _ in true }
            ).document(nil)
        }
        guard let document = document ?? nil else { return }
        claim(!document.issuers.isEmpty && document.maxAge >= .zero, "no issuer, or a negative age")
        // The case of a host does not count.
        claim(document.identifier.lowercased().hasPrefix("https://api.example"), "another resource")
    }
}

/// A clock that stands still.
private struct FixedClock: AuthorizationClock {
    var now: Date { Date(timeIntervalSince1970: 1_800_000_000) }
    var uptime: Duration { .seconds(1) }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: .seconds(3600)) }
}
