// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// The errors of discovery without metadata.
@Suite struct DiscoveryErrorTests {
    private func error(
        issuer: String = "https://as.example", _ answers: ScriptedTokenTransport.Step...
    ) async -> (any Error)? {
        let transport = ScriptedTokenTransport()
        for answer in answers { transport.append(answer) }
        do {
            _ = try await AuthorizationServer.discover(issuer: issuer, transport: transport)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [429, 500, 503])
    func `a server that cannot answer now is an error of discovery`(status: Int) async {
        let busy = ScriptedTokenTransport.Step.response(status, json: "", fields: ["Retry-After": "7"])
        let error = await error(busy, busy)
        #expect("\(error as Any)".contains("metadata"))
        #expect("\(error as Any)".contains("\(status)"))
        #expect(!"\(error as Any)".contains("token endpoint"))
        let failure = error as? any TokenServiceFailure
        #expect(failure?.kind == .transient)
        #expect(failure?.retryAfter == .seconds(7))
        #expect(failure?.delivery == .notSent)  // no grant went out
    }

    @Test func `the error for an unreachable server does not call it a token endpoint`() async {
        let error = await error(.failure(TokenTransportError(.unreachable, delivery: .notSent)))
        #expect(error is TokenTransportError)
        #expect(!"\(error as Any)".contains("token endpoint"))
    }

    @Test func `for Microsoft's issuer of all tenants the advice names the tenant's issuer`() async throws {
        let metadata = #"{"issuer":"https://login.microsoftonline.com/{tenantid}/v2.0","token_endpoint":"https://x/t"}"#
        let error = await error(
            issuer: "https://login.microsoftonline.com/common/v2.0", .response(404, json: ""),
            .response(200, json: metadata), .response(404, json: ""), .response(404, json: ""))
        let problem = try #require(error as? AuthorizationServerError)
        #expect(problem.problem == .otherIssuer && problem.member == "issuer")
        #expect(problem.description.contains("https://login.microsoftonline.com/TENANT_ID/v2.0"))
    }

    @Test func `the advice repeats no issuer of another host, and no control characters`() async throws {
        for named in ["https://evil.example/{tenantid}", #"https://as.example/{tenantid}\u001b[2J"#] {
            let answer = ScriptedTokenTransport.Step.response(200, json: #"{"issuer":"\#(named)"}"#)
            let error = await error(issuer: "https://as.example/common", answer, answer, answer, answer)
            let problem = try #require(error as? AuthorizationServerError)
            #expect(problem.problem == .otherIssuer)
            #expect(!problem.description.contains("evil") && !problem.description.contains("\u{1B}"))
        }
    }
}
