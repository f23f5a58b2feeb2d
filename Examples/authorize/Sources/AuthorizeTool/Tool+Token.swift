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
            for (name, value) in authorized.headers { Output.show("\(name): \(value)") }
        }
    }

    /// `authorize token`: prints the token as text, as JSON, or for kubectl.
    public func token(_ url: String, format: TokenFormat, lasting duration: Duration = .zero) async throws {
        let version = try format == .kubectl ? ExecCredential.version(environment) : ""
        try await run(url) { session in
            var token = try await session.auth.validToken(lasting: duration)
            switch format {
            case .text, .git: Output.show(token.accessToken)
            case .json: try Output.show(json: TokenReport(token))
            case .kubectl:
                let parent = getppid()
                if try await printed(session)?.isRefusal(of: token, by: parent, at: SystemClock().now) == true {
                    token = try await replaced(token, session)
                }
                try checkIsBearer(token)
                try Output.show(json: ExecCredential(token, apiVersion: version), isPretty: false)
                let mark = Printed(parent: parent, at: SystemClock().now, expiresAt: token.expiresAt)
                try await records.save(JSONEncoder().encode(mark), named: "printed \(session.url)")
            }
        }
    }

    /// `authorize token --format git`: answers git's request for a credential on standard input.
    ///
    /// - Parameters:
    ///   - resource: answers only for URLs below this one; for all by default.
    ///   - operation: git's word: `get`, `store` or `erase`. Another one is none of ours.
    public func gitCredential(below resource: String?, operation: String, lasting duration: Duration) async throws {
        let input = await StandardInput.text()
        let asked = GitCredential(input)
        guard operation != "store", let url = asked.url else { return }
        if let resource, !ResourceURL.is(url, below: resource) { return }
        try await run(url) { session in
            let token = try await session.auth.validToken(lasting: duration)
            if operation == "get" {
                try checkIsBearer(token)
                Output.show(asked.answer(token).joined(separator: "\n"))
            } else if operation == "erase", asked.secret == token.accessToken {
                _ = try await replaced(token, session)
            }
        }
    }

    // MARK: -

    /// Treats a token as refused by the resource: refreshes it, and never signs out.
    private func replaced(_ token: OAuthToken, _ session: Session) async throws -> OAuthToken {
        var request = HTTPClientRequest(url: session.url)
        request.setCredential(token.authorizationHeaderValue, in: "Authorization")
        try await session.auth.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        return try await session.auth.validToken()
    }

    private func checkIsBearer(_ token: OAuthToken) throws {
        guard token.isBound else { return }
        throw ToolFailure(
            .refused, "the token is bound to a key, and this format cannot carry its proof",
            advice: "Use `authorize header --method METHOD`, or sign in without --dpop.")
    }

    private func printed(_ session: Session) async throws -> Printed? {
        try await records.record(named: "printed \(session.url)").flatMap {
            try? JSONDecoder().decode(Printed.self, from: $0)
        }
    }
}

/// What kubectl was told last. It runs the plugin again after a 401, without saying so.
struct Printed: Codable, Hashable {
    /// The process that asked.
    let parent: Int32
    let at: Date
    let expiresAt: Date

    /// Whether a program asks again for what it was given less than a minute ago.
    ///
    /// Another process has not seen the token yet: a loop of commands refreshes nothing.
    func isRefusal(of token: OAuthToken, by parent: Int32, at now: Date) -> Bool {
        let age = now.timeIntervalSince(at)
        return parent == self.parent && token.expiresAt == expiresAt && age >= 0 && age < 60
    }
}

/// `authorize token --format json`.
private struct TokenReport: Encodable {
    let accessToken: String
    let tokenType: String
    let scope: String
    let expiresAt: Date?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case scope
        case expiresAt = "expires_at"
    }

    init(_ token: OAuthToken) {
        (accessToken, tokenType) = (token.accessToken, token.tokenType)
        (scope, expiresAt) = (token.scopes.sorted().joined(separator: " "), token.knownExpiry)
    }
}

/// What kubectl and other clients of Kubernetes read (client.authentication.k8s.io).
struct ExecCredential: Encodable {
    struct Status: Encodable {
        let token: String
        let expirationTimestamp: Date?
    }

    let apiVersion: String
    let kind = "ExecCredential"
    let status: Status

    init(_ token: OAuthToken, apiVersion: String) {
        self.apiVersion = apiVersion
        status = Status(token: token.accessToken, expirationTimestamp: token.knownExpiry)
    }

    /// The version that the client speaks; `v1` if it does not say.
    ///
    /// - Throws: ``ToolFailure`` for another one.
    static func version(_ environment: [String: String]) throws -> String {
        struct Info: Decodable { let apiVersion: String }
        let known = ["v1", "v1beta1"].map { "client.authentication.k8s.io/\($0)" }
        guard let text = environment["KUBERNETES_EXEC_INFO"] else { return known[0] }
        guard let info = try? JSONDecoder().decode(Info.self, from: Data(text.utf8)), known.contains(info.apiVersion)
        else {
            throw ToolFailure(
                .configuration, "KUBERNETES_EXEC_INFO names no known apiVersion",
                advice: "Write in the kubeconfig: apiVersion: \(known[0])")
        }
        return info.apiVersion
    }
}

/// What git asks its helper (git-credential, gitprotocol).
struct GitCredential {
    private let attributes: [String: String]
    private let capabilities: Set<String>

    init(_ text: String) {
        var (attributes, capabilities): ([String: String], Set<String>) = ([:], [])
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).prefix(while: { !$0.isEmpty }) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { continue }
            if parts[0] == "capability[]" { capabilities.insert(parts[1]) } else { attributes[parts[0]] = parts[1] }
        }
        (self.attributes, self.capabilities) = (attributes, capabilities)
    }

    var url: String? {
        guard let scheme = attributes["protocol"], ["http", "https"].contains(scheme), let host = attributes["host"],
            !host.isEmpty
        else { return nil }
        return "\(scheme)://\(host)/\(attributes["path"] ?? "")"
    }

    /// The password or credential that git gives back.
    var secret: String? { attributes["password"] ?? attributes["credential"] }

    /// A bearer token where git can send one (2.46), else the password of Basic.
    func answer(_ token: OAuthToken) -> [String] {
        var lines =
            capabilities.contains("authtype")
            ? ["capability[]=authtype", "authtype=Bearer", "credential=\(token.accessToken)"]
            : ["username=\(attributes["username"] ?? "oauth2")", "password=\(token.accessToken)"]
        lines.append("ephemeral=1")
        if let end = token.knownExpiry { lines.append("password_expiry_utc=\(Int(end.timeIntervalSince1970))") }
        return lines
    }
}

extension OAuthToken {
    /// When the token expires; `nil` if the server did not say.
    var knownExpiry: Date? { expiresAt == .distantFuture ? nil : expiresAt }
}
