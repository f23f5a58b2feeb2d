// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth

/// The forms in which `authorize token` answers.
public enum TokenFormat: String, CaseIterable, Sendable {
    case text, json, kubectl, git
}

extension Tool {
    /// `authorize header`: prints header fields for one request, for `curl -H @-`.
    ///
    /// - Parameters:
    ///   - method: the method of the request, which a bound token's proof names.
    ///   - duration: how long the token must be valid at least.
    public func header(_ url: String, method: String = "GET", lasting duration: Duration = .zero) async throws {
        try await run(url) { session in
            _ = try await session.auth.validToken(lasting: duration)
            var request = HTTPClientRequest(url: url)
            request.method = HTTPMethod(rawValue: method.uppercased())
            let authorized = try await request.authorized(using: session.auth)
            for (name, value) in authorized.headers { try Output.show("\(name): \(value)") }
        }
    }

    /// `authorize token`: prints the token as text, as JSON, or for kubectl.
    public func token(_ url: String, format: TokenFormat, lasting duration: Duration = .zero) async throws {
        let info = format == .kubectl ? environment["KUBERNETES_EXEC_INFO"] : nil
        guard let version = ExecCredential.version(info: info) else {
            throw ToolFailure(
                .configuration, "KUBERNETES_EXEC_INFO names no known apiVersion",
                advice: "Write in the kubeconfig: apiVersion: \(ExecCredential.known[0])")
        }
        try await run(url) { session in
            var token = try await session.auth.validToken(lasting: duration)
            if format != .kubectl { noteIfBound(token) }
            switch format {
            case .text, .git: try Output.show(token.accessToken)
            case .json: try Output.show(Output.json(report(token)))
            case .kubectl:
                let parent = getppid()
                let last: [Printed] = await records.value(named: "printed \(session.url)") ?? []
                // Another process has not seen the token yet: a loop of commands refreshes nothing.
                let own = last.first { $0.parent == parent && $0.url == url }
                if let own, own.expiresAt == token.expiresAt, own.isRecent(at: SystemClock.system.now) {
                    token = try await replaced(token, session)
                }
                try checkIsBearer(token)
                try Output.show(Output.json(ExecCredential(token, apiVersion: version), isPretty: false))
                let now = SystemClock.system.now
                let others = last.filter { $0 != own && $0.isRecent(at: now) }
                let printed = Printed(parent: parent, url: url, at: now, expiresAt: token.expiresAt)
                await note([printed] + others, session)
            }
        }
    }

    /// `authorize token --format git`: answers git's request for a credential on standard input.
    ///
    /// - Parameters:
    ///   - resource: answers only for URLs below this one; for all by default.
    ///   - operation: git's word. All but `get` and `erase` are ignored, as git asks of helpers.
    public func gitCredential(below resource: String?, operation: String, lasting duration: Duration) async throws {
        let asked = GitCredential(await StandardInput.lines())
        guard ["get", "erase"].contains(operation), let url = asked.url else { return }
        if let resource, !ResourceURL.is(url, below: resource) { return }
        try await run(url) { session in
            let token = try await session.auth.validToken(lasting: duration)
            if operation == "get" {
                try checkIsBearer(token)
                try Output.show(asked.answer(token).joined(separator: "\n"))
            } else if asked.secret == token.accessToken {
                _ = try await replaced(token, session)
            }
        }
    }

    /// Says that other programs cannot use a token that is bound to a key.
    func noteIfBound(_ token: OAuthToken) {
        guard token.isBound else { return }
        Output.note(
            "The token is bound to a key, and is refused without its proof. "
                + "Use `authorize header --method METHOD`, or sign in without --dpop.")
    }

    // MARK: -

    /// Treats a token as refused by the resource: refreshes it, and never signs out.
    private func replaced(_ token: OAuthToken, _ session: Session) async throws -> OAuthToken {
        var request = HTTPClientRequest(url: session.url)
        request.setCredential(token.authorizationHeaderValue, in: "Authorization")
        try await session.auth.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        return try await session.auth.validToken()
    }

    private func report(_ token: OAuthToken) -> [String: String] {
        [
            "access_token": token.accessToken, "token_type": token.tokenType,
            "scope": token.scopes.sorted().joined(separator: " "), "expires_at": token.knownExpiry.map(Self.time),
        ].compactMapValues(\.self)
    }

    private func checkIsBearer(_ token: OAuthToken) throws {
        guard token.isBound else { return }
        throw ToolFailure(
            .refused, "the token is bound to a key, and this format cannot carry its proof",
            advice: "Use `authorize header --method METHOD`, or sign in without --dpop.")
    }

    /// The credential is valid also if this cannot be saved.
    private func note(_ printed: [Printed], _ session: Session) async {
        do {
            try await records.save(JSONEncoder().encode(printed), named: "printed \(session.url)")
        } catch {
            let reason = ToolFailure(error, login: "").message
            Output.note("The credential is valid. If the cluster refuses it, it is not refreshed: \(reason)")
        }
    }
}

/// What a kubectl was told last. It runs the plugin again after a 401, without saying so.
struct Printed: Codable, Hashable {
    /// The process that asked.
    let parent: Int32
    /// What it asked for: a program with several clusters asks for each.
    let url: String
    let at: Date
    let expiresAt: Date

    /// Whether it was less than a minute ago.
    func isRecent(at now: Date) -> Bool { (0..<60).contains(now.timeIntervalSince(at)) }
}
