// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import Testing
import TrustedBundle

extension ScenarioRun {
    func upgradeDrops() async throws { try await drops(from: "http", to: "https") }

    func downgradeDrops() async throws { try await drops(from: "https", to: "http") }

    /// Only the scheme differs. It runs in a separate process, because `URLSession` can be told only once which
    /// certificate to trust.
    private func drops(from scheme: String, to other: String) async throws {
        await #expect(processExitsWith: .success) {
            [name = name as ClientName, scheme = scheme as String, other = other as String] in
            try await withTrust(name) { client, server, schemes in
                var call = Call(schemes.url("/a?/b?\(schemes.url("/c", scheme: other))", scheme: scheme))
                call.fields = ["Cookie": "session=1", "X-Other": "other"]
                let reply = try await client.send(call, authorizedBy: .bearer("abc"))
                #expect(reply.text == "hello")
                let requests = await server.requests
                #expect(requests.map { schemes.schemes[$0.connection - 1] } == [scheme, scheme, other])
                #expect(requests.map { $0["Authorization"] } == ["Bearer abc", "Bearer abc", nil])
                #expect(requests.map { $0["Cookie"] } == ["session=1", "session=1", nil])
                #expect(requests.map { $0["X-Other"] } == ["other", "other", "other"])
            }
        }
    }
}

/// Runs a client that trusts one certificate, which is made for this test. The server has that certificate, and
/// redirects to the text behind the first question mark.
private func withTrust(
    _ name: ClientName, body: (any TestedClient, RawServer, BothSchemes) async throws -> Void
) async throws {
    let makeClient = try #require(name.client)
    try await withSelfMadeCertificate { certificate in
        trusted_bundle_use(strdup(certificate.file))
        let client = makeClient(64, certificate)
        try await withServer { request in
            let parts = request.target.split(separator: "?", maxSplits: 1)
            return parts.count == 2 ? .redirect(302, to: String(parts[1])) : .text("hello")
        } body: { server in
            try await withBothSchemes(before: server, certificate: certificate) { schemes in
                try await body(client, server, schemes)
            }
        }
        try await client.close()
    }
}
#endif
