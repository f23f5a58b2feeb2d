// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

/// The servers of a scenario while it runs. It answers, notices what a client must never do, and remembers the rest.
actor Stage {
    let scenario: Scenario
    let version: WireVersion
    let variant: Scenario.Variant

    var bases: [Role: String] = [:]
    var servers: [ServerState] = []
    var accessTokens: [String: IssuedAccessToken] = [:]
    var record: Record
    var failures: [Verdict.Failure] = []
    var log: [String] = []
    /// Whether the metadata are right again.
    var isHealed = false
    /// Whether the metadata name the other authorization server.
    var hasMoved = false
    var material = Material()
    var proofs = ProofBook()

    init(_ scenario: Scenario, _ version: WireVersion, _ variant: Scenario.Variant) {
        (self.scenario, self.version, self.variant) = (scenario, version, variant)
        record = Record(context: ScenarioContext(name: scenario.name, protocolVersion: version, serverURL: ""))
    }

    var url: String { bases[.resource, default: ""] + "/mcp" }

    /// Notes what a client must not do. The first of a kind counts.
    func violate(_ check: String, _ reason: String) {
        guard !failures.contains(where: { $0.check == check }) else { return }
        failures.append(Verdict.Failure(check: check, reason: reason))
    }

    func answer(_ call: Call) -> Answer {
        let answer = answerSilently(call)
        let method = call.role == .resource ? call.object?["method"] as? String : nil
        let what = [call.method, call.path, method].compactMap(\.self).joined(separator: " ")
        log.append("\(call.role.rawValue) \(what) \(answer.status)")
        return answer
    }

    func heal() { isHealed = true }

    /// A client's own word on how a call ended.
    func note(_ text: String) { log.append(text) }

    // MARK: -

    private func answerSilently(_ call: Call) -> Answer {
        noticeMisplacedTokens(call)
        if call.role == .otherServer, scenario.fault == .metadata {
            violate("untrusted-server", "\(call.path) of a server was requested that no valid metadata name")
        }
        if call.role == .resource, let answer = resourceAnswer(call) { return answer }
        if call.role == .identityProvider { return identityProviderAnswer(call) }
        guard let index = servers.firstIndex(where: { $0.role == call.role }) else { return .notFound }
        return serverAnswer(call, index)
    }

    /// Access tokens belong into one header field of calls of the resource.
    private func noticeMisplacedTokens(_ call: Call) {
        if call.query["access_token"] != nil { violate("token-placement", "an access token is in a URL") }
        guard !(call.role == .resource && call.path == "/mcp"), let field = call.fields["authorization"] else { return }
        if !field.lowercased().hasPrefix("basic ") {
            violate("token-placement", "an access token was sent to \(call.path)")
        }
    }
}
#endif
