// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Google's `external_account` files (AIP-4117).
@Suite struct ExternalAccountTests {
    private let platform: Platform
    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))
    private let transport = ScriptedTokenTransport()
    private static let scopes: Set = ["https://www.googleapis.com/auth/devstorage.read_only"]
    private static let exchanged = ScriptStep<TokenRequest, TokenResponse>.response(
        200,
        json: """
            {"access_token":"federated","issued_token_type":"urn:ietf:params:oauth:token-type:access_token",
            "token_type":"Bearer","expires_in":3600,"refresh_token":"r"}
            """)

    init() throws {
        platform = try Platform()
        try platform.rename()
    }

    /// The members of a file; a value of `nil` removes one.
    private func json(_ changes: [String: JSONValue?] = [:]) throws -> Data {
        var members: [String: JSONValue] = [
            "type": .string("external_account"),
            "audience": .string("//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k"),
            "subject_token_type": .string("urn:ietf:params:oauth:token-type:jwt"),
            "token_url": .string("https://sts.googleapis.com/v1/token"),
            "credential_source": .object(["file": .string(platform.path)]),
        ]
        for (name, value) in changes { members[name] = value }
        return try JSONEncoder().encode(members)
    }

    private func service(
        _ changes: [String: JSONValue?] = [:], trusting trusted: Set<Origin> = []
    ) throws -> OAuthTokenService {
        try .externalAccount(
            json(changes), scopes: Self.scopes, trusting: trusted, transport: transport, clock: clock)
    }

    private func error(_ changes: [String: JSONValue?]) -> WorkloadIdentityError? {
        #expect(throws: WorkloadIdentityError.self) { try service(changes) }
    }

    @Test func `the exchange is the one that Google documents, with the file as it is then`() async throws {
        transport.append(Self.exchanged, Self.exchanged)
        let service = try service()
        for number in 1...2 {
            let token = try await service.initialToken()
            #expect(token.accessToken == "federated" && token.scopes == Self.scopes && token.refreshToken == nil)
            let request = try #require(transport.requests.last)
            #expect(request.url.absoluteString == "https://sts.googleapis.com/v1/token")
            #expect(request["Authorization"] == nil)
            #expect(
                request.form == [
                    "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
                    "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k",
                    "scope": "https://www.googleapis.com/auth/devstorage.read_only",
                    "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
                    "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                    "subject_token": Platform.token(number),
                ])
            try platform.rename()
        }
    }

    @Test func `the second hop gives the token of the service account`() async throws {
        let account = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@p.iam:generateAccessToken"
        transport.append(
            Self.exchanged,
            .response(200, json: #"{"accessToken":"account","expireTime":"2027-01-15T08:30:00Z"}"#), Self.exchanged,
            .response(403, json: #"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#))
        let service = try service([
            "service_account_impersonation_url": .string(account),
            "service_account_impersonation": .object(["token_lifetime_seconds": .integer(1200)]),
        ])
        let token = try await service.initialToken()
        #expect(token.accessToken == "account" && token.scopes == Self.scopes && token.refreshToken == nil)
        // 08:30 is half an hour later; 20 minutes were asked for.
        #expect(token.expiresAt == clock.now.addingTimeInterval(1200))
        #expect(transport.requests[0].form["scope"] == "https://www.googleapis.com/auth/cloud-platform")
        #expect(transport.requests[1].url.absoluteString == account)
        #expect(transport.requests[1]["Authorization"] == "Bearer federated")
        let body = try JSONDecoder().decode([String: JSONValue].self, from: Data(transport.requests[1].body))
        #expect(body == ["lifetime": .string("1200s"), "scope": .array(Self.scopes.map { .string($0) })])
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .clientRefused)
        #expect((error?.underlying as? WorkloadIdentityError)?.source == "https://iamcredentials.googleapis.com")
    }

    @Test(arguments: [
        ("Fri, 15 Jan 2027 06:00:00 GMT", "2027-01-15T06:50:00Z"),
        ("Fri, 15 Jan 2027 10:00:00 GMT", "2027-01-15T10:50:00Z"),
    ])
    func `a token of a service account lasts as long as its server says, although the clock here is wrong by two hours`(
        date: String, end: String
    ) async throws {
        transport.append(
            Self.exchanged,
            .response(200, json: #"{"accessToken":"account","expireTime":"\#(end)"}"#, fields: ["Date": date]))
        let token = try await service([
            "service_account_impersonation_url": .string("https://iamcredentials.googleapis.com/v1/a:generate")
        ]).initialToken()
        #expect(token.expiresAt == clock.now.addingTimeInterval(50 * 60) && token.lifetime == .seconds(50 * 60))
    }

    @Test func `sources are files and URLs, as text or as JSON, with header fields`() async throws {
        let format: JSONValue = .object([
            "type": .string("json"), "subject_token_field_name": .string("id_token"),
        ])
        try platform.write(#"{"id_token":"\#(Platform.token(5))","x":1}"#)
        transport.append(Self.exchanged)
        _ = try await service(["credential_source": .object(["file": .string(platform.path), "format": format])])
            .initialToken()
        #expect(transport.requests.last?.form["subject_token"] == Platform.token(5))
        let source: JSONValue = .object([
            "url": .string("http://169.254.169.254/token"), "format": format,
            "headers": .object(["Metadata": .string("True")]),
        ])
        transport.append(.response(200, json: #"{"id_token":"\#(Platform.token(6))"}"#), Self.exchanged)
        _ = try await service(["credential_source": source]).initialToken()
        #expect(transport.requests[1]["Metadata"] == "True" && transport.requests[1].method == "GET")
        #expect(transport.requests.last?.form["subject_token"] == Platform.token(6))
        // Another kind of token need not be a JWT.
        try platform.write("opaque\n")
        transport.append(Self.exchanged)
        _ = try await service(["subject_token_type": .string("urn:ietf:params:oauth:token-type:saml2")]).initialToken()
        #expect(transport.requests.last?.form["subject_token"] == "opaque")
    }

    @Test func `RFC 9110 §10.2.3: a date in Retry-After of the source counts from the service's clock`() async throws {
        transport.append(.response(503, json: "{}", fields: ["Retry-After": "Fri, 15 Jan 2027 08:00:30 GMT"]))
        let service = try service(["credential_source": .object(["url": .string("http://169.254.169.254/token")])])
        let error = await #expect(throws: WorkloadIdentityError.self) { try await service.initialToken() }
        #expect(error?.problem == .unavailable && error?.retryAfter == .seconds(30))
    }

    @Test func `a client of the file and the project of a workforce pool are sent`() async throws {
        transport.append(Self.exchanged, Self.exchanged)
        _ = try await service(["workforce_pool_user_project": .string("p")]).initialToken()
        #expect(transport.requests.last?.form["options"] == #"{"userProject":"p"}"#)
        _ = try await service([
            "client_id": .string("c"), "client_secret": .string("s"), "workforce_pool_user_project": .string("p"),
        ]).initialToken()
        #expect(transport.requests.last?["Authorization"] == "Basic \(Data("c:s".utf8).base64EncodedString())")
        #expect(transport.requests.last?.form["options"] == nil)
    }

    @Test(arguments: ["invalid_grant", "invalid_client"])
    func `a refused token is read again, and exchanged once more if it has changed`(code: String) async throws {
        let platform = platform
        let refused = ScriptStep<TokenRequest, TokenResponse>.response(400, json: #"{"error":"\#(code)"}"#)
        transport.append(
            .run { _ in
                try platform.rename()
                return TokenResponse(statusCode: 400, body: Array(#"{"error":"\#(code)"}"#.utf8))
            }, Self.exchanged, refused)
        let service = try service()
        #expect(try await service.initialToken().accessToken == "federated")
        let error = await #expect(throws: WorkloadIdentityError.self) { try await service.initialToken() }
        #expect(error?.problem == .refused && error?.kind == .client)
        #expect(transport.requests.map { Platform.number(of: $0.form["subject_token"] ?? "") } == [1, 2, 2])
    }

    // MARK: - What a foreign file could do

    @Test(arguments: [
        "https://sts.evil.example/v1/token", "https://googleapis.com.evil.example/token",
        "https://evilgoogleapis.com/token", "https://sts.googleapis.com:8443/token",
        "https://sts.googleapis.com@evil.example", "http://sts.googleapis.com/v1/token", "http://127.0.0.1/token",
        "ftp://sts.googleapis.com/", "sts.googleapis.com",
    ])
    func `a token is sent to Google, or where the program says`(url: String) async throws {
        for member in ["token_url", "service_account_impersonation_url"] {
            let error = error([member: .string(url)])
            #expect(error?.source == member && error?.kind == .client)
        }
        let universe = error(["universe_domain": .string("evil.example"), "token_url": nil])
        #expect(universe?.problem == .otherServer && universe?.detail == "https://sts.evil.example")
    }

    @Test func `another universe is used if the program names its origins`() async throws {
        transport.append(Self.exchanged)
        let service = try service(
            ["universe_domain": .string("apis.example"), "token_url": nil], trusting: ["https://sts.apis.example"])
        _ = try await service.initialToken()
        #expect(transport.requests.last?.url.absoluteString == "https://sts.apis.example/v1/token")
    }

    @Test(arguments: [
        ("Metadata\r\nHost", "True"), ("Metadata: 1\r\nX", "True"), ("A b", "True"), ("", "True"),
        ("Metadata", "True\r\nX: 1"),
    ])
    func `a header field of the file becomes no other one`(name: String, value: String) async throws {
        let source: JSONValue = .object([
            "url": .string("http://169.254.169.254/token"), "headers": .object([name: .string(value)]),
        ])
        let service = try service(["credential_source": source])
        let error = await #expect(throws: WorkloadIdentityError.self) { try await service.initialToken() }
        #expect(error?.problem == .malformed && error?.kind == .client && transport.calls == 0)
    }

    @Test func `executables, AWS and certificates are refused by name, and nothing is run`() {
        let made = platform.folder.appending(path: "made").path
        let source: JSONValue = .object(["executable": .object(["command": .string("/usr/bin/touch \(made)")])])
        let executable = error(["credential_source": source])
        #expect(executable?.problem == .executable && executable?.source == "credential_source.executable")
        #expect(!FileManager.default.fileExists(atPath: made))
        for member in ["environment_id", "certificate"] {
            let error = error(["credential_source": .object([member: .string("aws1"), "url": .string("https://a.b")])])
            #expect(error?.problem == .unsupported && error?.source == "credential_source.\(member)")
        }
    }

    @Test func `a damaged file is an error that names the member`() throws {
        let path = JSONValue.string(platform.path)
        let cases: [([String: JSONValue?], String)] = [
            (["type": .string("service_account")], "type"), (["audience": nil], "audience"),
            (["subject_token_type": .integer(1)], "subject_token_type"),
            (["credential_source": nil], "credential_source"),
            (["credential_source": .object([:])], "credential_source"),
            (["credential_source": .object(["file": path, "url": .string("https://a.b")])], "credential_source"),
            (["credential_source": .object(["url": .string("http://a.b/")])], "http://a.b"),
            (
                ["credential_source": .object(["file": path, "format": .object(["type": .string("xml")])])],
                "credential_source.format.type"
            ),
            (
                ["credential_source": .object(["file": path, "format": .object(["type": .string("json")])])],
                "credential_source.format.subject_token_field_name"
            ),
        ]
        for (changes, source) in cases { #expect(error(changes)?.source == source) }
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        for text in ["", "[]", "x", #"{"type":\#(deep)}"#, String(repeating: " ", count: 1 << 16) + "{}"] {
            let error = #expect(throws: WorkloadIdentityError.self) {
                try OAuthTokenService.externalAccount(Data(text.utf8), scopes: [], transport: transport)
            }
            #expect(error?.problem == .malformed && error?.source == "the JSON file")
        }
    }

    @Test(arguments: [
        (#"{"accessToken":"a"}"#, "expireTime"), (#"{"expireTime":"2027-01-15T08:30:00Z"}"#, "accessToken"),
        (#"{"accessToken":"a","expireTime":"soon"}"#, "expireTime"),
        (#"{"accessToken":"a\nb","expireTime":"2027-01-15T08:30:00Z"}"#, "accessToken"), ("<html>", "body"),
    ])
    func `an unusable answer of the second hop is an error that names the field`(
        json: String, field: String
    ) async throws {
        transport.append(Self.exchanged, .response(200, json: json))
        let service = try service([
            "service_account_impersonation_url": .string("https://iamcredentials.googleapis.com/v1/a:generate")
        ])
        let error = await #expect(throws: InvalidTokenResponse.self) { try await service.initialToken() }
        #expect(error?.field == field)
    }
}
