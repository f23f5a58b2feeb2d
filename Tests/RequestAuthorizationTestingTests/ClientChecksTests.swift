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
        (
            .admitsNoRedirect,
            #"follows no redirect as the next person: returned 200 and did not throw "session replaced""#
        ),
    ])
    func `one defect fails one check`(_ defect: Defect, _ failure: String) async {
        let found = await failures { try await check(defect) }
        #expect(found.map(\.description) == [failure])
    }

    @Test(arguments: [
        (Defect.admitsNoProof, "sends no new proof as the next person"),
        (.admitsAfterTheFirst, "follows no redirect as the next person"),
    ])
    func `a client that goes on as another person fails two checks`(_ defect: Defect, _ other: String) async {
        let found = await failures { try await check(defect) }
        let checks = ["is bound to the credential that was sent last", other]
        #expect(Set(found.map(\.check)) == Set(checks))
        #expect(found.allSatisfy { $0.problem == #"returned 200 and did not throw "session replaced""# })
    }
}
