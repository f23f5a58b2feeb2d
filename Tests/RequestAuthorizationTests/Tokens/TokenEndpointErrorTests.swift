// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// How answers of a token endpoint are sorted, and the advice in them.
@Suite struct TokenEndpointErrorTests {
    @Test(arguments: [
        "invalid_grant", "invalid_token", "expired_token", "token_expired", "token_revoked", "invalid_refresh_token",
    ])
    func `a code for a dead refresh token ends the session, but not with 429 or 5xx`(code: String) {
        for status in [200, 400, 401, 403, 404] {
            #expect(TokenEndpointError(status: status, code: code).kind == .terminal, "\(status)")
        }
        for status in [429, 500, 502, 503, 504, 599] {
            #expect(TokenEndpointError(status: status, code: code).kind == .transient, "\(status)")
        }
    }

    private static let sorted: [(Int, String?, TokenFailureKind)] = [
        (400, "invalid_client", .client), (401, "invalid_client", .client), (500, "invalid_client", .transient),
        (400, "unauthorized_client", .client), (400, "unsupported_grant_type", .client),
        (400, "invalid_scope", .client), (400, "invalid_target", .client),
        (400, "interaction_required", .interaction), (400, "login_required", .interaction),
        (401, "consent_required", .interaction), (400, "account_selection_required", .interaction),
        (401, "deleted_client", .client), (401, "disabled_client", .client), (403, "mfa_required", .interaction),
        (429, "login_required", .transient),
        (400, nil, .transient), (401, nil, .transient), (403, nil, .transient), (404, nil, .transient),
        (408, nil, .transient), (429, nil, .transient), (200, nil, .transient), (302, nil, .transient),
        (500, nil, .transient), (502, nil, .transient), (503, nil, .transient), (504, nil, .transient),
        (400, "temporarily_unavailable", .transient), (400, "slow_down", .transient), (400, "server_error", .transient),
        (400, "invalid_request", .transient), (403, "invalid_code", .transient), (400, "", .transient),
        (400, "INVALID_GRANT", .transient), (404, "what_is_this", .transient), (500, "what_is_this", .transient),
    ]

    @Test(arguments: sorted)
    func `answers of a token endpoint are sorted`(status: Int, code: String?, kind: TokenFailureKind) {
        let error = TokenEndpointError(status: status, code: code)
        #expect(error.kind == kind)
        #expect(error.delivery == .answered)
    }

    private static let answers: [(TokenRequestPurpose, Int, String?, String)] = [
        (.refresh, 400, "invalid_grant", "the grant or refresh token is no longer valid; sign in again"),
        (.refresh, 401, "invalid_client", "the client id or secret is wrong; the session is kept"),
        (.refresh, 400, "unauthorized_client", "the client is not registered for this grant type; the session is kept"),
        (.refresh, 400, "unsupported_grant_type", "the server does not offer this grant type; the session is kept"),
        (.refresh, 400, "invalid_scope", "the client asks for a scope that it may not have; the session is kept"),
        (.refresh, 400, "login_required", "the server wants the user to sign in again; the session is kept"),
        (.refresh, 403, nil, "the session is kept; try again later"),
        (.refresh, 401, "bad_login", "the session is kept; try again later"),
        (.token, 400, "invalid_grant", "the grant or refresh token is no longer valid; sign in again"),
        (.token, 401, "invalid_client", "the client id or secret is wrong"),
        (.token, 400, "login_required", "the server wants the user to sign in"),
        (.token, 401, "bad_login", "the request was refused; check what was sent, or try again later"),
        (.token, 503, nil, "try again later"),
        (
            .code, 400, "invalid_grant",
            "the code is no longer valid, or is that of another client or redirect URI; sign in again"
        ),
        (.code, 503, nil, "sign in again later"),
        (.deviceCode, 400, "expired_token", "the device code is no longer valid; sign in again"),
        (
            .pushedRequest, 400, "invalid_request",
            "the sign-in was refused; check the client, its redirect URI and its scopes, or try again later"
        ),
        (.pushedRequest, 401, "invalid_client", "the client id or secret is wrong"),
        (
            .deviceAuthorization, 400, "unauthorized_client",
            "the server refuses the client; check how it is registered"
        ),
        (.identityAssertion, 400, "login_required", "the log-in there is no longer valid; sign in there again"),
        (
            .identityAssertion, 400, "unauthorized_client",
            "the identity provider refuses the client; check how it is registered there"
        ),
        (.revocation, 503, nil, "the token is not revoked; sign out again later"),
        (
            .introspection, 401, nil,
            "the token was not checked; check how the resource server authenticates, or try again later"
        ),
    ]

    @Test(arguments: answers)
    func `a TokenEndpointError says which endpoint answered what, what it means and what to do`(
        purpose: TokenRequestPurpose, status: Int, code: String?, text: String
    ) {
        let error = TokenEndpointError(status: status, code: code, purpose: purpose)
        let code = code.map { " (\($0))" } ?? ""
        #expect(error.description == "\(purpose.endpoint) answered \(status)\(code): \(text)")
        #expect(error.debugDescription == error.description)
    }

    private static let purposes: [TokenRequestPurpose] = [
        .token, .refresh, .code, .deviceCode, .deviceAuthorization, .pushedRequest, .revocation, .introspection,
        .identityAssertion,
    ]

    @Test(arguments: purposes)
    func `only the error of a refresh speaks of a session`(purpose: TokenRequestPurpose) {
        let kinds: [TokenFailureKind] = [.terminal, .client, .interaction, .noRefreshToken, .transient]
        let texts = [400, 503].flatMap { status in
            kinds.map { "\(TokenEndpointError(status: status, code: "x", kind: $0, purpose: purpose))" }
        }
        #expect(texts.contains { $0.contains("session") } == (purpose == .refresh))
        #expect("\(InvalidTokenResponse(field: "f", problem: .missing, purpose: purpose))".hasPrefix(purpose.endpoint))
    }

    @Test func `what was asked for does not count in comparisons`() {
        #expect(TokenEndpointError(status: 400, purpose: .code) == TokenEndpointError(status: 400))
        #expect(Set([TokenEndpointError(status: 400, purpose: .code), TokenEndpointError(status: 400)]).count == 1)
        #expect(TokenEndpointError(status: 400) != TokenEndpointError(status: 401))
        #expect(
            InvalidTokenResponse(field: "f", problem: .missing, purpose: .code)
                == InvalidTokenResponse(field: "f", problem: .missing))
    }

    @Test func `only codes of up to 64 lower-case letters and underscores are shown`() {
        func shown(_ code: String) -> Bool {
            let refusals = RefreshFailed.Refusals(count: 1, since: .now, status: 400, code: code)
            let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["error": code])
            let texts = ["\(TokenEndpointError(status: 400, code: code))", "\(refusals)"]
            let isShown = texts.map { $0.contains("(\(code))") } + ["\(challenge)".contains("=\"\(code)\"")]
            #expect(Set(isShown).count == 1, "\(code)")
            return isShown[0]
        }
        for code in ["invalid_grant", "e", String(repeating: "a", count: 64)] { #expect(shown(code), "\(code)") }
        let unshown = [
            "", "token aB3 expired", String(repeating: "a", count: 65), "a/b", "a\u{301}", "é", "a\nb", "a=b", "urn:x",
            "a+b", "BAD_LOGIN", "invalid-token", "AADSTS70008", "e.1", "v1",
        ]
        for code in unshown { #expect(!shown(code), "\(code)") }
    }

    @Test func `a code that repeats a text of the request is not shown, wherever it is printed`() {
        let secret = "tokenofsmallletters"
        for code in [secret, "tokenofsm", "expired_\(secret)"] {
            let error = TokenEndpointError(
                status: 400, code: code, retryAfter: nil, kind: nil, purpose: .refresh, sent: ["x", secret])
            #expect(error.code == code && error.printableCode == nil)
            #expect(!"\(error)".contains(code) && !"\(error.sorted(as: .client))".contains(code))
            let failed = RefreshFailure(error.sorted(as: .client)).notAuthorized
            #expect(failed.map { "\($0)".contains(code) } == false)
        }
        let sent = ["refresh_token", "web", "client_credentials", secret]
        for code in ["invalid_refresh_token", "web_client_gone", "incorrect_client_credentials", "token"] {
            #expect(ErrorCode.printable(code, sent: sent) == code, "\(code)")
        }
        // A mark makes one character with the letter before it.
        #expect(ErrorCode.printable("correcthorse", sent: ["correcthorse\u{301}battery"]) != "correcthorse")
    }

    // MARK: Kinds

    @Test func `a kind has a stable form`() throws {
        let kinds: [TokenFailureKind] = [.terminal, .client, .interaction, .noRefreshToken, .transient]
        let text = #"["terminal","client","interaction","noRefreshToken","transient"]"#
        #expect(String(decoding: try JSONEncoder().encode(kinds), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode([TokenFailureKind].self, from: Data(text.utf8)) == kinds)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TokenFailureKind].self, from: Data(#"["fatal"]"#.utf8))
        }
    }
}
