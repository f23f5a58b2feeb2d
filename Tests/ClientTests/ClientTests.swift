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
@Suite(.timeLimit(.minutes(5))) struct ClientTests {
    @Test(arguments: ClientName.allCases.filter { $0.client != nil }, Scenario.allCases)
    func `a client shows the behaviour of a scenario`(name: ClientName, scenario: Scenario) async throws {
        let makeClient = try #require(name.client)
        let client = makeClient(64, nil)
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
    /// Makes a client with at most this many connections of its own to a server. It trusts no certificate but the given
    /// one. `nil` for a client that is tested elsewhere.
    var client: (@Sendable (_ connections: Int, SelfMadeCertificate?) -> any TestedClient)? {
        switch self {
        case .urlSession: { connections, _ in URLSessionClient(connections: connections) }
        case .urlSessionHTTPTypes: { connections, _ in URLSessionHTTPTypesClient(connections: connections) }
        case .asyncHTTPClient: { AsyncHTTPClientClient(followsRedirects: true, connections: $0, trusting: $1) }
        case .asyncHTTPClientWithoutRedirects:
            { AsyncHTTPClientClient(followsRedirects: false, connections: $0, trusting: $1) }
        case .anyClient: { AnyClient(connections: $0, trusting: $1) }
        case .gRPC: nil
        }
    }
}
#endif
