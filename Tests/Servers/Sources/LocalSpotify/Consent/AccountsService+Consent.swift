// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The authorization endpoint: checks the request, asks the user, and redirects (RFC 6749 §4.1).
extension AccountsService {
    /// `GET /authorize`.
    mutating func authorize(_ call: Call, at now: Date) -> Answer {
        let request: AuthorizationRequest
        do throws(AuthorizationRefusal) {
            request = try AuthorizationRequest(call.query, clients: clients)
        } catch {
            switch error {
            case .page(let text): return .page(400, title: "This did not work", Pages.problem(text))
            case .redirect(let callback): return .redirect(to: callback.address(issuer: call.base))
            }
        }
        if isApproved(request) { return .redirect(to: agreed(to: request, at: now).address(issuer: call.base)) }
        let browser = Browser.id(in: call) ?? secrets.next()
        let ticket = tickets.issue(request, to: browser, at: now)
        return .page(
            title: "\(request.client.name) wants to use your account",
            Pages.consent(to: request, user: user, ticket: ticket), formTarget: request.redirectURI,
            fields: Browser.field(browser, for: call))
    }

    /// `POST /authorize`: the user has pressed a button of the page.
    mutating func decideConsent(_ call: Call, at now: Date) -> Answer {
        guard Browser.isOwnForm(call) else { return Self.foreignForm }
        guard let request = tickets.redeem(call.form["ticket"], from: Browser.id(in: call), at: now) else {
            return Self.foreignForm
        }
        switch call.form.single("decision") {
        case "allow": return .redirect(to: agreed(to: request, at: now).address(issuer: call.base))
        default: return .redirect(to: denied(request).address(issuer: call.base))
        }
    }

    /// Records that the user agrees, and returns the redirect.
    mutating func agreed(to request: AuthorizationRequest, at now: Date) -> Callback {
        approvals[request.client.id, default: []].formUnion(request.scopes)
        let claim = AuthorizationCodes.Claim(
            grant: Grant(clientID: request.client.id, scopes: request.scopes), redirectURI: request.redirectURI,
            codeChallenge: request.codeChallenge)
        return request.callback(["code": codes.issue(claim, at: now)])
    }

    /// The redirect for a user who does not agree (RFC 6749 §4.1.2.1).
    func denied(_ request: AuthorizationRequest) -> Callback { request.callback(["error": "access_denied"]) }

    static let foreignForm = Answer.page(
        400, title: "This did not work", Pages.problem("This page was used already, or is too old."))

    // MARK: -

    /// A public client needs consent each time, because it is not authenticated (RFC 8252 §8.6).
    private func isApproved(_ request: AuthorizationRequest) -> Bool {
        guard !request.showsDialog, !request.client.isPublic, let approved = approvals[request.client.id] else {
            return false
        }
        return request.scopes.isSubset(of: approved)
    }
}
