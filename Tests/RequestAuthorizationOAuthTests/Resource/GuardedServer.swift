// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting

@testable import RequestAuthorizationOAuth

/// A resource at `/mcp` that introduces itself, and two authorization servers, `/as` and `/as2`, on one port.
final class GuardedServer: Sendable {
    struct State {
        /// What the 401 of the resource says beside the scheme. `BASE` is replaced.
        var challenge = #"resource_metadata="BASE/.well-known/oauth-protected-resource/mcp""#
        /// The scopes that a token must have, by method.
        var required: [String: Set<String>] = [:]
        /// What a 403 asks for, if not what is missing.
        var demand: (@Sendable (Int) -> String)?
        /// The error of that answer, and its status.
        var demandError = ("insufficient_scope", 403)
        var resource: String? = "BASE/mcp"
        var issuers = ["BASE/as"]
        var resourceMembers = ""
        var serverMembers = #","code_challenge_methods_supported":["S256"]"#
        var isPublic = false
        /// The error with which the page refuses.
        var pageError: String?
        var givesRefreshTokens = true
        /// The tokens that the resource refuses.
        var refused: Set<String> = []
        var refusesAll = false
        /// Answers in place of the usual ones, by path.
        var answers: [String: @Sendable (RawRequest) -> Answer] = [:]
        /// The clients that are registered, with the redirect URI of each.
        var clients: [String: String] = [:]
        var registrations: [[String: JSONValue]] = []
        /// The queries of the pages that were opened.
        var pages: [[String: String]] = []
        var demands = 0
        var codes: [String: (scope: String, issuer: String)] = [:]
        var tokens: [String: (scopes: Set<String>, issuer: String)] = [:]
        /// The forms that came to token endpoints, each with its path.
        var forms: [(path: String, form: [String: String])] = []
        /// The tokens with which the resource was called; empty for none.
        var calls: [String] = []
        var lifetime = 3600
        var tokenType = "Bearer"
    }

    let state: Lock<State>
    let clock = ManualClock()

    init(_ state: State = State()) { self.state = Lock(state) }

    /// Runs a resource and its servers while the body runs.
    static func run<Result: Sendable>(
        _ change: (inout State) -> Void = { _ in }, body: (GuardedServer, RawServer) async throws -> Result
    ) async throws -> Result {
        var state = State()
        change(&state)
        let guarded = GuardedServer(state)
        return try await withServer {
            guarded.answer($0)
        } body: {
            try await body(guarded, $0)
        }
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var now: State { state.withLock { $0 } }

    /// From now on the metadata name another token endpoint, and the former one is gone.
    func moveTokenEndpoint(_ status: Int = 404) {
        change { state in
            state.answers["/as/token"] = { _ in .status(status) }
            state.answers["/.well-known/oauth-authorization-server/as"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(
                    """
                    {"issuer":"\(base)/as","authorization_endpoint":"\(base)/as/authorize",\
                    "token_endpoint":"\(base)/as2/token","registration_endpoint":"\(base)/as/register",\
                    "code_challenge_methods_supported":["S256"]}
                    """)
            }
        }
    }

    func answer(_ request: RawRequest) -> Answer {
        let path = request.target.prefix { $0 != "?" }
        return state.withLock { state in
            if let answer = state.answers[String(path)] { return answer(request) }
            return answer(request, String(path), "http://127.0.0.1:\(request.port)", &state)
        }
    }

    // MARK: -

    private func answer(_ request: RawRequest, _ path: String, _ base: String, _ state: inout State) -> Answer {
        func text(_ text: String) -> String { text.replacing("BASE", with: base) }
        switch path {
        case "/mcp", "/mcp/sub": return resource(request, base, &state)
        case "/.well-known/oauth-protected-resource/mcp":
            guard let resource = state.resource else { return .status(404) }
            let issuers = state.issuers.map { "\"\(text($0))\"" }.joined(separator: ",")
            return .json(
                #"{"resource":"\#(text(resource))","authorization_servers":[\#(issuers)]\#(text(state.resourceMembers))}"#
            )
        case "/.well-known/oauth-authorization-server/as", "/.well-known/oauth-authorization-server/as2":
            let own = base + "/" + (path.split(separator: "/").last ?? "")
            return .json(
                """
                {"issuer":"\(own)","authorization_endpoint":"\(own)/authorize","token_endpoint":"\(own)/token",\
                "registration_endpoint":"\(own)/register"\(text(state.serverMembers))}
                """)
        case "/as/authorize", "/as2/authorize": return page(request, base, &state)
        case "/as/token", "/as2/token": return token(request, path, base, &state)
        case "/as/register", "/as2/register":
            let members = (try? JSONDecoder().decode([String: JSONValue].self, from: Data(request.body))) ?? [:]
            state.registrations.append(members)
            let id = "client-\(state.registrations.count)"
            if case .array(let uris)? = members["redirect_uris"] { state.clients[id] = uris.first?.text ?? "" }
            return .json(#"{"client_id":"\#(id)","token_endpoint_auth_method":"none"}"#, status: 201)
        default: return .status(404)
        }
    }

    private func resource(_ request: RawRequest, _ base: String, _ state: inout State) -> Answer {
        let token = request["Authorization"].map { String($0.split(separator: " ").last ?? "") } ?? ""
        state.calls.append(token)
        let challenge = state.challenge.replacing("BASE", with: base)
        guard !state.isPublic else { return .text("public") }
        guard let scopes = state.tokens[token]?.scopes, !state.refused.contains(token), !state.refusesAll else {
            return .unauthorized("Bearer \(token.isEmpty ? "" : "error=\"invalid_token\", ")\(challenge)")
        }
        let missing = (state.required[request.method] ?? []).subtracting(scopes)
        guard state.demand == nil, missing.isEmpty else {
            state.demands += 1
            let scope = state.demand?(state.demands) ?? "scope=\"\(missing.sorted().joined(separator: " "))\""
            return .status(
                state.demandError.1, ("WWW-Authenticate", "Bearer error=\"\(state.demandError.0)\", \(scope)"))
        }
        return .text("ok")
    }

    private func page(_ request: RawRequest, _ base: String, _ state: inout State) -> Answer {
        let query = Self.pairs(String(request.target.drop { $0 != "?" }.dropFirst()))
        state.pages.append(query)
        guard let back = query["redirect_uri"], let key = query["state"] else { return .status(400) }
        if let error = state.pageError { return .redirect(302, to: "\(back)?error=\(error)&state=\(key)") }
        let code = "code-\(state.pages.count)"
        state.codes[code] = (query["scope"] ?? "", request.target.hasPrefix("/as2") ? "as2" : "as")
        return .redirect(302, to: "\(back)?code=\(code)&state=\(key)")
    }

    private func token(_ request: RawRequest, _ path: String, _ base: String, _ state: inout State) -> Answer {
        let form = Self.pairs(request.text)
        state.forms.append((path, form))
        let number = state.forms.count
        var scopes: Set<String> = []
        switch form["grant_type"] {
        case "authorization_code":
            guard let code = state.codes.removeValue(forKey: form["code"] ?? "") else {
                return .json(#"{"error":"invalid_grant"}"#, status: 400)
            }
            scopes = Set(code.scope.split(separator: " ").map(String.init))
        case "refresh_token":
            let old = state.tokens["t" + (form["refresh_token"] ?? "r").dropFirst()]
            scopes = old?.scopes ?? []
        default: scopes = Set((form["scope"] ?? "").split(separator: " ").map(String.init))
        }
        state.tokens["t\(number)"] = (scopes, path)
        let refresh = state.givesRefreshTokens ? #","refresh_token":"r\#(number)""# : ""
        return .json(
            """
            {"access_token":"t\(number)","token_type":"\(state.tokenType)","expires_in":\(state.lifetime)\(refresh)}
            """)
    }

    static func pairs(_ query: String) -> [String: String] {
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        }
        return Dictionary(pairs) { "\($0) AND \($1)" }
    }
}

extension RawServer {
    nonisolated var base: String { "http://127.0.0.1:\(port)" }
}
#endif
