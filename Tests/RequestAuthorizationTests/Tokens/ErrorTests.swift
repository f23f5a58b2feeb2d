// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

/// An error describes what happened and what to do.
@Suite struct ErrorTests {
    // MARK: NotAuthorized

    @Test func `needsSignIn separates errors that a sign-in solves from those for a programmer`() {
        let table: [NotAuthorized.Reason: Bool] = [
            .noToken: true, .signedOut: true, .rejected: true, .needsInteraction: true, .refreshedTooOften: false,
            .clientRefused: false, .notRefreshable: false, .malformedCredential: false, .insecureTransport: false,
            .originNotAllowed: false, .notSignable: false,
            .redirectsFollowed: false, .reentrantRefresh: false, .sessionReplaced: false,
        ]
        for (reason, needsSignIn) in table {
            #expect(NotAuthorized(reason).needsSignIn == needsSignIn, "\(reason)")
        }
    }

    @Test(arguments: [
        (NotAuthorized.Reason.noToken, "not authorized: no token; sign in"),
        (.signedOut, "not authorized: signed out; sign in"),
        (.rejected, "not authorized: rejected by the token endpoint; sign in again"),
        (
            .sessionReplaced,
            "not authorized: session replaced; send the request again if it is meant for the user who is signed in now"
        ),
        (
            .clientRefused,
            "not authorized: client refused by the token endpoint; check the client's id, secret, grant types and scopes, "
                + "and how it is registered; the session is kept"
        ),
        (.needsInteraction, "not authorized: needs interaction; sign in again with what the server requires"),
        (
            .refreshedTooOften,
            "not authorized: refreshed too often; find out why the server refuses new tokens; "
                + "a refresh is tried again after a while"
        ),
        (
            .notRefreshable,
            "not authorized: not refreshable; check the credential, or use a RefreshableTokenAuthorization"
        ),
        (.malformedCredential, "not authorized: malformed credential; check what was passed as the credential"),
        (.insecureTransport, "not authorized: insecure transport; use https"),
        (.notSignable, "not authorized: not signable; use a request that shows method, target and body"),
        (
            .originNotAllowed,
            "not authorized: origin not allowed; if the origin may have the credential, add it where the provider is "
                + "restricted"
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

    @Test func `the end of a session shows the server's answer`() {
        let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["error": "invalid_token"])
        #expect(
            NotAuthorized(.signedOut, challenge: challenge).description
                == #"not authorized: signed out, the server answered Bearer error="invalid_token"; sign in"#)
    }

    @Test func `a NotAuthorized shows the server's challenge, and its detail`() {
        let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["error": "insufficient_scope"])
        #expect(
            NotAuthorized(.needsInteraction, challenge: challenge).description
                == #"not authorized: needs interaction, asked for Bearer error="insufficient_scope"; sign in again with "#
                + "what the server requires")
        #expect(
            NotAuthorized(.insecureTransport, detail: "http://a.example is not encrypted: use https").description
                == "not authorized: insecure transport (http://a.example is not encrypted: use https)")
    }

    // MARK: The others

    @Test(arguments: [
        (TokenTransportError.Code.unreachable, "unreachable; check the network and the address"),
        (.connectionLost, "connection lost; try again later"), (.timedOut, "timed out; try again later"),
        (.insecure, "insecure; check the address, the server's certificate and its versions of TLS"),
        (.responseTooLong, "response too long; check that the address is that of the server"),
        (
            .unreadableHeader,
            "unreadable header; a line of the header may be in another encoding than UTF-8; correct the server, or use "
                + "another HTTP client"
        ),
        (.other, "other; try again later"),
    ])
    func `a TokenTransportError says what to do, and never ends a session`(code: TokenTransportError.Code, text: String)
    {
        let error = TokenTransportError(code, delivery: .notSent, underlying: Offline())
        #expect(error.description == "no usable answer from the authorization server: \(text)")
        #expect(error.kind == .transient)
        #expect(error.retryAfter == nil)
    }

    @Test func `a RefreshFailed says what failed and when to try again`() {
        let error = RefreshFailed(underlying: Offline(), nextTryAt: Date(timeIntervalSince1970: 0), delivery: .notSent)
        #expect(
            error.description
                == "the token could not be refreshed (Offline); try again at 1970-01-01 00:00:00 +0000 or "
                + "later, no sign-in is needed")
        #expect(error.debugDescription == error.description)
    }

    @Test func `a RefreshFailed counts refusals, and says when a sign-in may help`() {
        let date = Date(timeIntervalSince1970: 0)
        func text(_ refusals: RefreshFailed.Refusals) -> String {
            var error = RefreshFailed(underlying: Offline(), nextTryAt: date, delivery: .answered)
            error.refusals = refusals
            return error.description
        }
        #expect(
            text(.init(count: 1, since: date, status: 403))
                == "the token could not be refreshed (the token endpoint answered 403); try again at "
                + "1970-01-01 00:00:00 +0000 or later, no sign-in is needed")
        #expect(
            text(.init(count: 4, since: date, status: 401, code: "bad_login", suggestsSignIn: true))
                == "the token could not be refreshed (the token endpoint has refused 4 times since "
                + "1970-01-01 00:00:00 +0000, last with 401 (bad_login)); try again at 1970-01-01 00:00:00 +0000 or "
                + "later, signing in again may help")
        #expect(!text(.init(count: 1, since: date, status: 400, code: "a secret")).contains("secret"))
    }

    @Test func `a token service's error without properties may have been processed and names no time`() {
        struct Terse: TokenServiceFailure { let kind = TokenFailureKind.transient }
        #expect(Terse().retryAfter == nil)
        #expect(Terse().delivery == .mayHaveBeenProcessed)
    }
}
