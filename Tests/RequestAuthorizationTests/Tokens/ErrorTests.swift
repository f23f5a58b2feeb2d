// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

/// An error says what happened and what to do.
@Suite struct ErrorTests {
    // MARK: NotAuthorized

    @Test func `needsSignIn tells what a person can help with from what a programmer must`() {
        let table: [NotAuthorized.Reason: Bool] = [
            .noToken: true, .signedOut: true, .rejected: true, .needsInteraction: true, .refreshedTooOften: false,
            .notRefreshable: false, .malformedCredential: false, .insecureTransport: false, .originNotAllowed: false,
            .redirectsFollowed: false, .reentrantRefresh: false,
        ]
        for (reason, needsSignIn) in table {
            #expect(NotAuthorized(reason).needsSignIn == needsSignIn, "\(reason)")
        }
    }

    @Test(arguments: [
        (NotAuthorized.Reason.noToken, "not authorized: no token; sign in"),
        (.signedOut, "not authorized: signed out; sign in"),
        (.rejected, "not authorized: rejected by the token endpoint; sign in again"),
        (.needsInteraction, "not authorized: needs interaction; sign in again, for what the server asks"),
        (
            .refreshedTooOften,
            "not authorized: refreshed too often; find out why the server refuses tokens that are fresh; "
                + "a refresh is tried again after a while"
        ),
        (
            .notRefreshable,
            "not authorized: not refreshable; check the credential, or use a RefreshableTokenAuthorization"
        ),
        (.malformedCredential, "not authorized: malformed credential; check what was passed as the credential"),
        (.insecureTransport, "not authorized: insecure transport; use https"),
        (
            .originNotAllowed,
            "not authorized: origin not allowed; name the origin where the provider is restricted, if it may have the "
                + "credential"
        ),
        (
            .redirectsFollowed,
            "not authorized: redirects followed; send it with a client that follows no redirects"
        ),
        (
            .reentrantRefresh,
            "not authorized: re-entrant refresh; fetch tokens with requests that this provider does not authorize"
        ),
    ])
    func `a NotAuthorized says what to do`(reason: NotAuthorized.Reason, text: String) {
        #expect(NotAuthorized(reason).description == text)
        #expect(NotAuthorized(reason).debugDescription == text)
    }

    @Test func `a NotAuthorized shows what the server asked for, and its detail`() {
        let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["error": "insufficient_scope"])
        #expect(
            NotAuthorized(.needsInteraction, challenge: challenge).description
                == #"not authorized: needs interaction, asked for Bearer error="insufficient_scope"; sign in again, for "#
                + "what the server asks")
        #expect(
            NotAuthorized(.insecureTransport, detail: "http://a.example is not encrypted: use https").description
                == "not authorized: insecure transport (http://a.example is not encrypted: use https)")
    }

    // MARK: TokenEndpointError

    private static let sorted: [(Int, String?, TokenFailureKind)] = [
        (400, "invalid_grant", .terminal), (401, "invalid_grant", .terminal),
        (400, "invalid_client", .terminal), (401, "invalid_client", .terminal),
        (400, "unauthorized_client", .terminal), (400, "unsupported_grant_type", .terminal),
        (400, "invalid_scope", .terminal),
        (400, nil, .rejected), (401, nil, .rejected), (403, nil, .rejected),
        (400, "temporarily_unavailable", .transient), (400, "slow_down", .transient), (400, "server_error", .transient),
        (400, "authorization_pending", .transient),
        (400, "invalid_code", .rejected), (403, "invalid_request", .rejected), (400, "INVALID_GRANT", .rejected),
        (400, "", .rejected), (404, "what_is_this", .transient), (500, "what_is_this", .transient),
        (404, nil, .transient), (408, nil, .transient), (429, nil, .transient), (429, "slow_down", .transient),
        (500, nil, .transient), (502, nil, .transient), (503, "temporarily_unavailable", .transient),
        (504, nil, .transient), (200, nil, .transient), (302, nil, .transient),
    ]

    @Test(arguments: sorted)
    func `what a token endpoint answers is sorted`(status: Int, code: String?, kind: TokenFailureKind) {
        let error = TokenEndpointError(status: status, code: code)
        #expect(error.kind == kind)
        #expect(error.delivery == .answered)
    }

    private static let answers: [(Int, String?, String)] = [
        (400, "invalid_grant", "the token endpoint answered 400 invalid_grant: sign in again"),
        (
            401, "invalid_client",
            "the token endpoint answered 401 invalid_client: check the client that is registered there, then sign in again"
        ),
        (403, nil, "the token endpoint answered 403 and no known reason: if that goes on, sign in again"),
        (503, nil, "the token endpoint answered 503: try again later"),
        (
            400, "token aB3 expired",
            "the token endpoint answered 400 … and no known reason: if that goes on, sign in again"
        ),
        (
            400, String(repeating: "a", count: 65),
            "the token endpoint answered 400 … and no known reason: if that goes on, sign in again"
        ),
    ]

    @Test(arguments: answers)
    func `a TokenEndpointError says what to do, and shows codes only`(status: Int, code: String?, text: String) {
        let error = TokenEndpointError(status: status, code: code)
        #expect(error.description == text)
        #expect(error.debugDescription == text)
    }

    // MARK: The others

    @Test(arguments: [
        (TokenTransportError.Code.unreachable, "unreachable; check the network and the address"),
        (.connectionLost, "connection lost; try again later"), (.timedOut, "timed out; try again later"),
        (.insecure, "insecure; check the server's certificate"),
        (.responseTooLong, "response too long; check that the address is that of a token endpoint"),
        (.other, "other; try again later"),
    ])
    func `a TokenTransportError says what to do, and never ends a session`(code: TokenTransportError.Code, text: String)
    {
        let error = TokenTransportError(code, delivery: .notSent, underlying: Offline())
        #expect(error.description == "no answer from the token endpoint: \(text)")
        #expect(error.kind == .transient)
        #expect(error.retryAfter == nil)
    }

    @Test func `a RefreshFailed says what failed and when to try again`() {
        let error = RefreshFailed(underlying: Offline(), nextTryAt: Date(timeIntervalSince1970: 0), delivery: .notSent)
        #expect(
            error.description
                == "the token could not be refreshed (Offline); try again at 1970-01-01 00:00:00 +0000 or "
                + "later, nobody needs to sign in")
        #expect(error.debugDescription == error.description)
    }

    @Test func `an error of a token service that says no more may have been processed and names no time`() {
        struct Terse: TokenServiceFailure { let kind = TokenFailureKind.rejected }
        #expect(Terse().retryAfter == nil)
        #expect(Terse().delivery == .mayHaveBeenProcessed)
    }
}
