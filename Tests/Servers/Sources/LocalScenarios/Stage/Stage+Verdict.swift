// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Stage {
    func verdict(of clientError: String?) -> Verdict {
        if let clientError, scenario.fault == nil, variant == .plain {
            violate("client", "the client failed: \(clientError)")
        }
        for check in checks where !check.holds(record) { violate(check.name, check.reason) }
        return Verdict(
            scenario: scenario.name, version: version, variant: variant, failures: failures, log: log)
    }

    private var checks: [Check] {
        switch (variant, scenario.fault) {
        case (.refusal, _): [.refusedAssertion, .noTools]
        case (.earlierSession, .metadata): [.noSignIn, .sessionLives]
        case (.earlierSession, .response): [.authorization, .noExchange, .sessionLives]
        case (.earlierSession, .scopes): [.sessionLives]
        case (.plain, .some): scenario.checks + [.noTools]
        default: scenario.checks
        }
    }
}

extension Check {
    static let refusedAssertion = Check("grant", "the assertion was not presented") {
        $0.events.contains { $0.kind == .token && $0.method == Grant.jwtBearer }
    }
    /// A control of the scenario itself.
    static let noTools = Check("tools", "a call was answered although the client must not get in") { record in
        !["tools/list", "tools/call"].contains(where: record.answered)
    }
    /// The call after the fault is answered, without another authorization request.
    static let sessionLives = Check("session-lives", "the session from before was not used after the fault") { record in
        guard let fault = record.events.lastIndex(where: { $0.method == "tools/call" }) else { return false }
        let rest = record.events[fault...].drop { $0.method != "tools/list" }
        guard let last = rest.last(where: { $0.method == "tools/list" }), last.isGood else { return false }
        // A step-up that the server allowed has replaced the session.
        let mayBeReplaced = record.context.name == "auth/scope-retry-limit"
        return !rest.contains { $0.kind == .authorization }
            && (mayBeReplaced || last.family == Record.earlierFamily)
    }
}
#endif
