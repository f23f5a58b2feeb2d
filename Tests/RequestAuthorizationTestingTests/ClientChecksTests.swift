// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

/// Each check detects a client with one defect.
struct ClientChecksTests {
    typealias Defect = BrokenClient.Defect

    private func check(_ defect: Defect?) async throws {
        try await ClientChecks(followsRedirects: true) { request, provider, server in
            try await BrokenClient(defect: defect, server: server).send(request, authorizedBy: provider)
        }.run()
    }

    @Test(arguments: [nil, .staysSecure] as [Defect?])
    func `a client without a defect passes, also one that stays with https`(_ defect: Defect?) async throws {
        try await check(defect)
    }

    @Test(arguments: [
        (
            Defect.followsWithASpentBody,
            "returns a redirect of a body that can be read once: returned 200, not 307"
        ),
        (
            .followsWithAnOldProof,
            "makes a proof anew for a redirect: did not make a proof for each of two requests"
        ),
        (
            .comparesNoHosts,
            "takes no credential to another origin: took the field Authorization to https://other.example.com/b"
        ),
        (
            .comparesNoPorts,
            "takes no credential to another origin: took the field Authorization to https://api.example.com:8443/b"
        ),
        (
            .comparesNoSchemes,
            "takes no credential to another origin: took the field Authorization to http://api.example.com/b"
        ),
        (
            .judgesOtherOrigins,
            "takes a refusal of another origin for no news: refreshed the token after a 401 of another origin"
        ),
    ])
    func `one defect fails one check`(_ defect: Defect, _ failure: String) async {
        let found = await failures { try await check(defect) }
        #expect(found.map(\.description) == [failure])
    }
}
