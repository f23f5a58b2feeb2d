// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

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

    private static let answers: [(Int, String?, String)] = [
        (400, "invalid_grant", "400 (invalid_grant): the grant or refresh token is no longer valid; sign in again"),
        (401, "invalid_client", "401 (invalid_client): the client id or secret is wrong; the session is kept"),
        (
            400, "unauthorized_client",
            "400 (unauthorized_client): the client is not registered for this grant type; the session is kept"
        ),
        (
            400, "unsupported_grant_type",
            "400 (unsupported_grant_type): the server does not offer this grant type; the session is kept"
        ),
        (
            400, "invalid_scope",
            "400 (invalid_scope): the client asks for a scope that it may not have; the session is kept"
        ),
        (
            400, "login_required",
            "400 (login_required): the server wants the user to sign in again; the session is kept"
        ),
        (403, nil, "403: the session is kept; try again later"),
        (401, "BAD_LOGIN", "401 (BAD_LOGIN): the session is kept; try again later"),
        (400, "v1.bad-Code_2", "400 (v1.bad-Code_2): the session is kept; try again later"),
    ]

    @Test(arguments: answers)
    func `a TokenEndpointError says what happened, what it means and what to do`(
        status: Int, code: String?, text: String
    ) {
        let error = TokenEndpointError(status: status, code: code)
        #expect(error.description == "the token endpoint answered \(text)")
        #expect(error.debugDescription == error.description)
    }

    @Test func `only codes of up to 64 letters, digits, underscores, hyphens and dots are shown`() {
        func shown(_ code: String) -> Bool { "\(TokenEndpointError(status: 400, code: code))".contains("(\(code))") }
        for code in ["BAD_LOGIN", "invalid-token", "AADSTS70008", "e.1", String(repeating: "a", count: 64)] {
            #expect(shown(code), "\(code)")
        }
        let unshown = [
            "", "token aB3 expired", String(repeating: "a", count: 65), "a/b", "a\u{301}", "é", "a\nb", "a=b", "urn:x",
            "a+b",
        ]
        for code in unshown { #expect(!shown(code), "\(code)") }
    }

    // MARK: Kinds

    @Test func `a kind has a stable form, and rejected of earlier versions is transient`() throws {
        let kinds: [TokenFailureKind] = [.terminal, .client, .interaction, .noRefreshToken, .transient]
        let text = #"["terminal","client","interaction","noRefreshToken","transient"]"#
        #expect(String(decoding: try JSONEncoder().encode(kinds), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode([TokenFailureKind].self, from: Data(text.utf8)) == kinds)
        #expect(try JSONDecoder().decode([TokenFailureKind].self, from: Data(#"["rejected"]"#.utf8)) == [.transient])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TokenFailureKind].self, from: Data(#"["fatal"]"#.utf8))
        }
    }
}
