// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Testing

struct NotApplicableTests {
    private static let reasons: [Scenario: String] = {
        let redirects = "gRPC has no redirects."
        let scenarios: [Scenario] = Scenario.allCases.filter { $0.needs.contains(.redirects) }
        return Dictionary(uniqueKeysWithValues: scenarios.map { ($0, redirects) }).merging([
            .userInformationIsNoCredential:
                "A channel has an address, and the interceptor an origin: neither is a URL.",
            .basicChallengeIsRetried:
                "Only the status `UNAUTHENTICATED` marks a refusal, whatever the metadata say.",
            .nonceOfBadRequestIsRetried:
                "Only the status `UNAUTHENTICATED` marks a refusal, whatever the metadata say.",
            .refreshCountIsKept: "The retry policy of the channel says how often a call is made.",
            .bodyInPiecesIsWhole: "gRPC splits its messages itself.",
            .headHasNoBody: "gRPC uses only one HTTP method, POST.",
            .transportErrorIsPassedOn: "The transport handles connections: calls wait in it until there is one.",
            .bodiesQueue: "The calls of a channel are streams of one connection, and the transport queues them.",
            .bodiesReuse: "All calls of a channel share one HTTP/2 connection.",
            .connectionIsReused: "All calls of a channel share one HTTP/2 connection.",
        ]) { first, _ in first }
    }()

    @Test func `the scenarios that gRPC lacks have a reason, and no other test shows them`() throws {
        for (scenario, reason) in Self.reasons { try ClientTable.record(scenario, .gRPC, .notApplicable(reason)) }
    }
}
#endif
