// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import Testing

/// Every scenario with every client, over real sockets. gRPC, which needs a server of its own, runs them in the tests of its
/// module. `.ci/check-client-table` prints what passed.
@Suite(.timeLimit(.minutes(2))) struct ClientTests {
    @Test(arguments: ClientName.allCases.filter { $0.client != nil }, Scenario.allCases)
    func `a client does what a scenario asks`(name: ClientName, scenario: Scenario) async throws {
        let makeClient = try #require(name.client)
        let client = makeClient(nil)
        if let missing = scenario.needs.compactMap({ client.lacks[$0] }).first {
            try await client.close()
            return try ClientTable.record(scenario, name, .notApplicable(missing))
        }
        do {
            try await ScenarioRun(name: name, client: client).run(scenario)
        } catch {
            try await client.close()
            throw error
        }
        try await client.close()
        try ClientTable.record(scenario, name, .passed)
    }
}

extension ClientName {
    /// Makes a client with connections of its own that trusts no other certificate than the one given; `nil` for one that is
    /// tested elsewhere.
    var client: (@Sendable (SelfMadeCertificate?) -> any TestedClient)? {
        switch self {
        case .urlSession: { _ in URLSessionClient() }
        case .urlSessionHTTPTypes: { _ in URLSessionHTTPTypesClient() }
        case .asyncHTTPClient: { AsyncHTTPClientClient(followsRedirects: true, trusting: $0) }
        case .asyncHTTPClientWithoutRedirects: { AsyncHTTPClientClient(followsRedirects: false, trusting: $0) }
        case .anyClient: { AnyClient(trusting: $0) }
        case .gRPC: nil
        }
    }
}
#endif
