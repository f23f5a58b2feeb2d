// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import Synchronization

/// A session as it is listed; no secret.
struct SessionReport: Encodable, Hashable {
    let account: String
    let url: String
    let issuer: String?
    let client: String?
    let scopes: [String]
    let expiresAt: Date?
    /// Whether the session goes on when the token has expired.
    let isRefreshable: Bool
    /// Why the session cannot be read.
    let problem: String?

    init(account: String, url: String, _ session: ResourceSessionSummary?, problem: String? = nil) {
        (self.account, self.url, self.problem) = (account, url, problem)
        (issuer, client, expiresAt) = (session?.issuer, session?.clientID, session?.expiresAt)
        (scopes, isRefreshable) = (session?.scopes.sorted() ?? [], session?.isRefreshable ?? false)
    }

    var line: String {
        if let problem { return "\(url)  (\(account))  \(problem)" }
        let end = expiresAt.map { "\(isRefreshable ? "token until" : "ends") \(Tool.time($0))" } ?? "no known end"
        return "\(url)  (\(account))  at \(issuer ?? "?"), for \(scopes.joined(separator: " ")), \(end)"
    }
}

extension Tool {
    /// `authorize list`: the sessions of all accounts, without a call.
    public func list() async throws {
        try await run(login("URL")) {
            var reports: [SessionReport] = []
            for (account, url) in try await AccountRecords.sessions() {
                // The key is read once: its file may be a pipe.
                var tool = self
                tool.records.account = account
                do {
                    guard let session = try await tool.provider(for: url).storedSession() else { continue }
                    reports.append(SessionReport(account: account, url: url, session))
                } catch let error as TokenStoreError {
                    let problem = "cannot be read: \(error.kind)"
                    reports.append(SessionReport(account: account, url: url, nil, problem: problem))
                }
            }
            try show(reports)
        }
    }

    func show(_ reports: [SessionReport]) throws {
        if json { return try Output.show(Output.json(reports)) }
        for report in reports { try Output.show(PlainText.clean(report.line)) }
    }

    /// `authorize logout`: revokes the token, then removes it.
    ///
    /// - Parameter force: whether a token is removed that cannot be revoked now.
    public func logout(_ url: String, force: Bool) async throws {
        let session = try await place(of: url)
        guard session.stored != nil else {
            if let ended = try? await records.session(of: url) { try? await forget(ended) }
            return Output.note("You were not signed in.")
        }
        try await run(login(session.url, as: session.options), settling: session.auth) {
            do { try await session.auth.signOut() } catch {
                let failure = ToolFailure(error, login: "")
                guard force, !(error is CancellationError) else {
                    throw ToolFailure(
                        failure.status, failure.message,
                        advice: "You are still signed in. To forget the session all the same, add --force.")
                }
                await session.auth.reset()
                Output.note("The server was not told: \(failure.message)")
            }
            try? await forget(session.url)
        }
        Output.note("Signed out of \(session.url).")
    }

    /// Removes the records of an ended session, so that its URL belongs to the session above it again.
    ///
    /// It does nothing while a sign-in to that URL is under way.
    private func forget(_ url: String) async throws {
        let lock = try await records.lock(named: "sign-in \(url)", within: .seconds(1))
        do {
            if try await provider(for: url).storedSession() == nil { try await records.removeSession(of: url) }
        } catch {}  // It stays, and the session has ended all the same.
        await lock.unlock()
    }

    /// `authorize explain`: makes the requests of a sign-in that need no person and carry no credential, and says what
    /// would follow.
    public func explain(_ url: String, _ options: SignInOptions) async throws {
        let transport = RecordingTransport()
        try await run(login(url, as: options)) {
            var report = Explanation()
            do {
                let found = try await found(url, options, over: transport)
                report.describe(found, options)
            } catch {
                let failure = ToolFailure(error, login: login(url, as: options))
                report.missing.append([failure.message, failure.advice].compactMap(\.self).joined(separator: ". "))
            }
            report.requests = transport.requests
            if json { try Output.show(Output.json(report)) } else { try Output.show(report.text) }
            if !report.missing.isEmpty { throw ToolFailure(.unusableAnswer, "a sign-in would fail") }
        }
    }

    /// What the resource says about itself, or what its `--issuer` says. A sign-in on another device needs no PKCE.
    func found(
        _ url: String, _ options: SignInOptions, over transport: any TokenTransport
    ) async throws -> ProtectedResource {
        if let issuer = options.issuer {
            return ProtectedResource(identifier: url, server: try await .discover(issuer: issuer, transport: transport))
        }
        return try await .discover(url, requiresListedPKCE: false, transport: transport)
    }
}

/// Notes all requests and the status of their answers.
private final class RecordingTransport: TokenTransport {
    private let base: any TokenTransport = Tool.client
    private let lines = Mutex<[String]>([])

    var requests: [String] { lines.withLock { $0 } }

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        var answer = "no answer"
        defer { lines.withLock { $0.append("\(request.method) \(request.url.absoluteString): \(answer)") } }
        do {
            let response = try await base.send(request)
            answer = "\(response.statusCode)"
            return response
        } catch let error as TokenTransportError {
            answer = error.code.description
            throw error
        }
    }
}

/// What `authorize explain` found out.
private struct Explanation: Encodable {
    /// The requests that were made, with the answers.
    var requests: [String] = []
    /// The requests that a sign-in would go on with.
    var next: [String] = []
    var resource: String?
    var issuer: String?
    var scopes: [String] = []
    var missing: [String] = []

    mutating func describe(_ found: ProtectedResource, _ options: SignInOptions) {
        let server = found.server
        (resource, issuer) = (found.identifier, server.issuer)
        scopes = found.scopes(after: nil, requested: options.scopes).sorted()
        let takesDocument = server.additionalMetadata["client_id_metadata_document_supported"] == .bool(true)
        if options.client == nil, !(options.document != nil && takesDocument) {
            if let endpoint = server.registrationEndpoint {
                next.append("POST \(endpoint.absoluteString) (registers, unless that was done)")
            } else {
                missing.append("a client: the server registers none; pass --client ID --issuer URL")
            }
        }
        let (page, token) = (server.authorizationEndpoint?.absoluteString, server.tokenEndpoint?.absoluteString)
        next += [page.map { "\($0) in the browser" }, token.map { "POST \($0)" }].compactMap(\.self)
        if page == nil { missing.append("authorization_endpoint") }
        if token == nil { missing.append("token_endpoint") }
        let methods = "code_challenge_methods_supported"
        let takesS256 = server.additionalMetadata[methods] == .string("S256")
        if options.issuer == nil, !takesS256, server.metadataTexts(methods)?.contains("S256") != true {
            missing.append("S256 in code_challenge_methods_supported: the server does not say that it checks PKCE")
        }
    }

    var text: String {
        var lines = requests
        if let issuer, let resource {
            lines.append("\(issuer) guards \(resource)")
            lines.append(
                "and would be asked for: \(scopes.isEmpty ? "what it chooses" : scopes.joined(separator: " "))")
        }
        lines += next.map { "then: \($0)" } + missing.map { "missing: \($0)" }
        return lines.map(PlainText.clean).joined(separator: "\n")
    }
}
