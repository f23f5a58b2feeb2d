// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Sign-in on a device that has no browser (RFC 8628).
extension AccountsService {
    /// `POST /api/device` (RFC 8628 §3.1).
    mutating func beginDevice(_ call: Call, at now: Date) throws -> Answer {
        do {
            let client = try authenticated(call)
            guard let scopes = Scope.parse(call.form["scope"]) else { throw Refusal("invalid_scope", "Illegal scope") }
            let codes = devices.begin(client.id, scopes, at: now)
            return try .json(
                200, DeviceAnswer(codes, policy: families.policy, base: call.base), fields: Answer.uncached)
        } catch let refusal as Refusal {
            return try refusal.answer
        }
    }

    /// `grant_type=urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4).
    mutating func exchangeDeviceCode(
        _ form: Parameters, by client: LocalSpotify.Client?, at now: Date
    ) -> TokenDecision {
        guard let code = form["device_code"] else { return .badRequest("device_code must be supplied") }
        guard let client else { return .refused(.badClient, .client("client_id must be supplied", inHeader: false)) }
        return switch devices.poll(code, by: client.id, at: now) {
        case .pending: .refused(.pending, "authorization_pending", "The user has not answered yet")
        case .slowDown: .refused(.slowDown, "slow_down", "Ask less often")
        case .denied: .refused(.denied, "access_denied", "The user refused")
        case .expired: .refused(.badCode, "expired_token", "The device code has expired")
        case .unknown: .refused(.badCode, "invalid_grant", "Invalid device code")
        case .allowed(let scopes): families.signIn(Grant(clientID: client.id, scopes: scopes), at: now)
        }
    }

    /// `GET /device`: asks for the code, or for the user's decision.
    mutating func showDevice(_ call: Call, at now: Date) -> Answer {
        guard let typed = (call.method == "GET" ? call.query : call.form).single("user_code") else {
            return Self.devicePage(problem: nil)
        }
        // RFC 8628 §5.1: codes are short, so the number of wrong tries is limited.
        misses.removeAll { $0 + 60 <= now }
        guard misses.count < 10 else { return Self.devicePage(429, problem: "Too many wrong codes. Wait a minute.") }
        guard let question = devices.question(for: typed, at: now), let client = clients[question.clientID] else {
            misses.append(now)
            return Self.devicePage(400, problem: "This code is not known, was used, or is too old.")
        }
        let browser = Browser.id(in: call) ?? secrets.next()
        let ticket = deviceTickets.issue(question.userCode, to: browser, at: now)
        return .page(
            title: "Connect a device", Pages.device(question, of: client, user: user, ticket: ticket),
            fields: Browser.field(browser, for: call))
    }

    /// `POST /device`: the user has pressed a button, or typed a code.
    mutating func decideDevice(_ call: Call, at now: Date) -> Answer {
        guard Browser.isOwnForm(call) else { return Self.foreignForm }
        guard call.form["ticket"] != nil else { return showDevice(call, at: now) }
        let isAllowed = call.form.single("decision") == "allow"
        guard let userCode = deviceTickets.redeem(call.form["ticket"], from: Browser.id(in: call), at: now),
            devices.answer(userCode, isAllowed: isAllowed, at: now)
        else { return Self.foreignForm }
        return .page(title: "Done", Pages.deviceEnd(isAllowed: isAllowed))
    }

    private static func devicePage(_ status: Int = 200, problem: String?) -> Answer {
        .page(status, title: "Connect a device", Pages.deviceCode(problem: problem))
    }
}

private struct DeviceAnswer: Encodable {
    let deviceCode: String
    let userCode: String
    let verificationUri: String
    let verificationUriComplete: String
    let expiresIn: Int
    let interval: Int

    init(_ codes: (device: String, user: String), policy: TokenPolicy, base: String) {
        (deviceCode, userCode) = codes
        verificationUri = base + "/device"
        verificationUriComplete = base + "/device?user_code=\(codes.user)"
        expiresIn = Int(policy.deviceCodeLifetime.components.seconds)
        interval = Int(policy.devicePollingInterval.components.seconds)
    }
}
