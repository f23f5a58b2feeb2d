// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// An authorization server with an API beside it, over a real socket. It takes only what it has issued.
struct IssuingServer {
    let name: String
    let raw: RawServer
    let clock: ManualClock

    /// Runs two servers that know nothing of each other. In the end, neither has seen anything of the other.
    static func runTwo(body: (_ a: IssuingServer, _ b: IssuingServer) async throws -> Void) async throws {
        let clock = ManualClock()
        let (ofA, ofB) = (IssuedTokens("from-a"), IssuedTokens("from-b"))
        try await withServer {
            ofA.answer(to: $0)
        } body: { rawA in
            try await withServer {
                ofB.answer(to: $0)
            } body: { rawB in
                let a = IssuingServer(name: "from-a", raw: rawA, clock: clock)
                let b = IssuingServer(name: "from-b", raw: rawB, clock: clock)
                try await body(a, b)
                #expect(await a.requestsWith(b.name) == [])
                #expect(await b.requestsWith(a.name) == [])
            }
        }
    }

    var base: String { "http://127.0.0.1:\(raw.port)" }
    var server: AuthorizationServer { .make(at: base) }

    /// A service for a person.
    func service(change: (inout AuthorizationServer) -> Void = { _ in }) -> OAuthTokenService {
        var server = server
        change(&server)
        return .authorizationCode(server: server, client: .public(id: "tool"), transport: .patient, clock: clock)
    }

    /// A service that needs no person.
    var ownService: OAuthTokenService {
        .clientCredentials(server: server, client: .public(id: "tool"), transport: .patient, clock: clock)
    }

    func provider(
        _ store: some TokenStore<OAuthToken>, _ service: OAuthTokenService? = nil
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        // When a test sets the clock ahead, no call of the store that is under way has taken that long.
        let policy = RefreshPolicy(backOff: .init(patience: .zero), storeDeadline: .seconds(1_000_000))
        return RefreshableTokenAuthorization(
            service: service ?? self.service(), store: store, policy: policy, clock: clock)
    }

    func signIn(_ auth: RefreshableTokenAuthorization<OAuthToken>) async throws {
        let service = service()
        try await auth.signIn { try await service.endpoint.token(grantType: "authorization_code") }
    }

    /// The status of the API's answer to a request with the provider's token.
    func status(_ auth: RefreshableTokenAuthorization<OAuthToken>) async throws -> Int {
        let (_, response) = try await URLSession.patient.data(
            for: URLRequest(url: raw.url("/api")), authorizedBy: auth)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }

    /// The requests that have come so far, each as its target.
    var targets: [String] { get async { await raw.requests.map(\.target) } }

    private func requestsWith(_ name: String) async -> [String] {
        await raw.requests.filter { "\($0.head)\($0.text)".contains(name) }.map(\.target)
    }
}

/// The tokens of a server, and its answers.
private final class IssuedTokens: Sendable {
    private struct Contents {
        var count = 0
        var access: Set<String> = []
        var refresh: Set<String> = []
    }

    private let name: String
    private let contents = Lock(Contents())

    init(_ name: String) { self.name = name }

    func answer(to request: RawRequest) -> Answer {
        contents.withLock { contents in
            switch request.target {
            case "/token": token(Self.form(request), &contents)
            case "/revoke", "/introspect": known(Self.form(request)["token"] ?? "", &contents)
            default: Self.api(request, contents)
            }
        }
    }

    /// Refresh tokens are good for one use.
    private func token(_ form: [String: String], _ contents: inout Contents) -> Answer {
        if form["grant_type"] == "refresh_token", contents.refresh.remove(form["refresh_token"] ?? "") == nil {
            return .json(#"{"error":"invalid_grant"}"#, status: 400)
        }
        contents.count += 1
        let (access, refresh) = ("\(name).access.\(contents.count)", "\(name).refresh.\(contents.count)")
        contents.access.insert(access)
        let start = #"{"access_token":"\#(access)","token_type":"Bearer","expires_in":3600"#
        if form["grant_type"] == "client_credentials" { return .json("\(start)}") }
        contents.refresh.insert(refresh)
        return .json(#"\#(start),"refresh_token":"\#(refresh)"}"#)
    }

    private func known(_ token: String, _ contents: inout Contents) -> Answer {
        let isKnown = contents.access.contains(token) || contents.refresh.remove(token) != nil
        return .json(#"{"active":\#(isKnown)}"#)
    }

    private static func api(_ request: RawRequest, _ contents: Contents) -> Answer {
        let isGood = contents.access.contains { request["Authorization"] == "Bearer \($0)" }
        return isGood ? .text("welcome") : .unauthorized(#"Bearer error="invalid_token""#)
    }

    private static func form(_ request: RawRequest) -> [String: String] {
        request.text.split(separator: "&").reduce(into: [:]) { form, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            form[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
    }
}
#endif
