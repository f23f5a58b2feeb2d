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

    @Test func `a page that is too long hides no metadata at another place`() async {
        let page = ScriptedTokenTransport.Step.failure(
            TokenTransportError(.responseTooLong, delivery: .mayHaveBeenProcessed))
        let none = await error(page, .response(200, json: #"{"issuer":"https://as.example"}"#))
        #expect(none == nil)
        let only = await error(page, page)
        #expect((only as? TokenTransportError)?.code == .responseTooLong)
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

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is named with the host that it leads to, and nothing else of it`(status: Int) async throws {
        let location = "https://user:pass@id.example:8443/login;jsessionid=1?next=s3cret#f"
        let error = await error(.redirect(status, to: location), .response(404, json: ""))
        let problem = try #require(error as? AuthorizationServerError)
        #expect(problem.problem == .noMetadata && problem.member == "issuer")
        #expect(problem.description.contains("redirect (\(status)) to https://id.example:8443,"))
        for secret in ["user", "pass@", "login", "jsessionid", "s3cret"] {
            #expect(!problem.description.contains(secret))
        }
    }

    @Test(arguments: ["/login?x=s3cret", "https://as.example/s3cret", "//as.example:443/s3cret"])
    func `a redirect within the host is named so`(location: String) async throws {
        let error = await error(.redirect(302, to: location), .response(404, json: ""))
        let text = "\(error as Any)"
        #expect(text.contains("redirect (302) within https://as.example,") && !text.contains("s3cret"))
    }

    @Test(arguments: ["", "javascript:alert(1)", "mailto:a@b.example", "https://", "\u{1B}[2J", "http://[::1"])
    func `a redirect without a host is named without one`(location: String) async throws {
        let error = await error(.redirect(302, to: location), .response(404, json: ""))
        let text = "\(error as Any)"
        #expect(text.contains("redirect (302)"))
        #expect(!text.contains("alert") && !text.contains("b.example") && !text.contains("\u{1B}"))
    }

    @Test func `what is known of a later place counts more than a redirect`() async throws {
        let redirect = ScriptedTokenTransport.Step.redirect(302, to: "https://id.example/")
        let busy = await error(redirect, .response(503, json: ""))
        #expect((busy as? AuthorizationServerError)?.problem == .unavailable)
        let other = await error(redirect, .response(200, json: #"{"issuer":"https://as.example/"}"#))
        #expect((other as? AuthorizationServerError)?.problem == .otherIssuer)
    }

    @Test(arguments: [
        "https://as.example/", "https://AS.example", "http://as.example", "https://as.example:8443/realms/a",
        "https://as.example/t%C3%BC",
    ])
    func `the server's own spelling of its issuer is named`(named: String) async throws {
        let answer = ScriptedTokenTransport.Step.response(200, json: #"{"issuer":"\#(named)"}"#)
        let problem = try #require(await error(answer, answer) as? AuthorizationServerError)
        #expect(problem.problem == .otherIssuer && problem.member == "issuer")
        #expect(problem.description.contains("spells it \(named):"))
    }

    @Test func `of an issuer at another host only the host is named`() async throws {
        let named = "http://keycloak:8080/realms/s3cret"
        let answer = ScriptedTokenTransport.Step.response(200, json: #"{"issuer":"\#(named)"}"#)
        let text = "\(await error(answer, answer) as Any)"
        #expect(text.contains("an issuer at http://keycloak:8080:") && !text.contains("s3cret"))
    }

    @Test(arguments: [
        "https://as.example/?q=s3cret", "https://s3cret@as.example/", "https://as.example/#s3cret", "s3cret",
        "https://as.example/ s3cret", #"https://as.example/s3cret\u001b[2J"#, "javascript://as.example/s3cret",
        "https://as.example/s3cret" + String(repeating: "a", count: 300),
    ])
    func `an issuer that is no plain URL is not repeated`(named: String) async throws {
        let answer = ScriptedTokenTransport.Step.response(200, json: #"{"issuer":"\#(named)"}"#)
        let problem = try #require(await error(answer, answer) as? AuthorizationServerError)
        #expect(problem.problem == .otherIssuer)
        #expect(!problem.description.contains("s3cret") && !problem.description.contains("\u{1B}"))
        #expect(problem.description.contains("use the issuer exactly as the server spells it"))
    }
}

extension ScriptedTokenTransport.Step {
    fileprivate static func redirect(_ status: Int, to location: String) -> Self {
        .response(status, json: "", fields: ["Location": location])
    }
}
