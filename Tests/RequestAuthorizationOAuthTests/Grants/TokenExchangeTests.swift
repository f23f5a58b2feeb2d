// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// One token in exchange for another (RFC 8693).
@Suite struct TokenExchangeTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()
    private let client = OAuthClient.secretBasic(id: "rs08", secret: "long-secure-random-secret")

    private static let accessToken = #""issued_token_type":"urn:ietf:params:oauth:token-type:access_token""#

    private func service(
        _ exchange: @escaping @Sendable () async throws -> TokenExchange
    ) -> OAuthTokenService {
        .tokenExchange(
            server: .make(at: "https://as.example.com"), client: client, transport: transport, clock: clock,
            exchange: exchange)
    }

    @Test func `RFC 8693 §2.3: the example of an exchange`() async throws {
        transport.append(
            .response(
                200, json: #"{"access_token":"eyJh",\#(Self.accessToken),"token_type":"Bearer","expires_in":60}"#))
        let token = try await service {
            TokenExchange(
                subject: .accessToken("accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"),
                resources: ["https://backend.example.com/api"])
        }.initialToken()
        let request = try #require(transport.requests.first)
        #expect(request["Authorization"] == "Basic cnMwODpsb25nLXNlY3VyZS1yYW5kb20tc2VjcmV0")
        #expect(
            request.text
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
                + "&resource=https%3A%2F%2Fbackend.example.com%2Fapi"
                + "&subject_token=accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"
                + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token")
        #expect(token.issuedTokenType == .accessToken)
        #expect(token.authorizationHeaderValue == "Bearer eyJh")
        #expect(token.lifetime == .seconds(60))
    }

    @Test func `RFC 8693 §2.1: the type of the actor's token is sent with it, and several audiences too`()
        async throws
    {
        transport.append(.response(200, json: #"{"access_token":"a",\#(Self.accessToken)}"#))
        _ = try await service {
            TokenExchange(
                subject: .idToken("s"), actor: SecurityToken("a", type: SecurityTokenType(uri: "urn:example:t")),
                requestedType: .jwt, audiences: ["x", "y"], scopes: ["2", "1"])
        }.initialToken()
        #expect(
            transport.requests.first?.text
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&audience=x&audience=y"
                + "&scope=1+2&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt&subject_token=s"
                + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token&actor_token=a"
                + "&actor_token_type=urn%3Aexample%3At")
    }

    @Test func `a company's log-in becomes an assertion for another server, and a token there`() async throws {
        let type = "urn:ietf:params:oauth:token-type:id-jag"
        transport.append(
            .response(200, json: #"{"access_token":"jag","issued_token_type":"\#(type)","token_type":"N_A"}"#))
        transport.append(.response(200, json: #"{"access_token":"a","token_type":"Bearer"}"#))
        let company = TokenEndpoint(
            server: .make(at: "https://idp.example"), client: .public(id: "c"), transport: transport)
        let grant = try await company.exchange(
            TokenExchange(subject: .idToken("id"), requestedType: .idJAG, audiences: ["https://as.example"]))
        #expect(grant.issuedTokenType == .idJAG && grant.authorizationHeaderValue == "")
        let service = OAuthTokenService.jwtBearer(
            server: .make(), assertion: .token(grant.accessToken), transport: transport)
        #expect(try await service.initialToken().issuer == TokenIssuer(of: .make()))
        let (first, second) = (try #require(transport.requests.first), try #require(transport.requests.last))
        #expect(first.text.contains("requested_token_type=\(type.replacing(":", with: "%3A"))&subject_token=id"))
        #expect(second.text.contains("assertion=jag"))
    }

    @Test func `RFC 8693 §2.2.1: an answer without a type is not used`() async throws {
        for kind in ["", #","issued_token_type":"""#, #","issued_token_type":7"#] {
            transport.append(.response(200, json: #"{"access_token":"a"\#(kind)}"#))
            let error = await #expect(throws: InvalidTokenResponse.self) {
                try await service { TokenExchange(subject: .jwt("s")) }.initialToken()
            }
            #expect(error?.field == "issued_token_type")
        }
    }

    @Test func `RFC 8693 §2.2.1: a token that is no access token is returned, and never sent as one`() async throws {
        let json =
            #"{"access_token":"idt","issued_token_type":"urn:ietf:params:oauth:token-type:id_token","token_type":"N_A"}"#
        transport.append(.response(200, json: json), .response(200, json: json))
        let service = service { TokenExchange(subject: .accessToken("s"), requestedType: .idToken) }
        let token = try await service.endpoint.exchange(
            TokenExchange(subject: .accessToken("s"), requestedType: .idToken))
        #expect(token.accessToken == "idt" && token.issuedTokenType == .idToken)
        #expect(token.authorizationHeaderValue.isEmpty)
        // A provider cannot use it.
        let error = await #expect(throws: InvalidTokenResponse.self) { try await service.initialToken() }
        #expect(error?.field == "token_type")
    }

    @Test func `another grant's answer of no usable type is refused as before`() async throws {
        transport.append(.response(200, json: #"{"access_token":"a","token_type":"N_A"}"#))
        let error = await #expect(throws: InvalidTokenResponse.self) {
            try await service { TokenExchange(subject: .jwt("s")) }.endpoint.token(grantType: "g")
        }
        #expect(error?.field == "token_type")
    }

    @Test func `each exchange sends the subject's present token, and a refusal ends no session`() async throws {
        let count = Lock(0)
        transport.append(
            .response(200, json: #"{"access_token":"a",\#(Self.accessToken),"expires_in":60}"#),
            .response(400, json: #"{"error":"invalid_grant"}"#),
            .response(200, json: #"{"access_token":"b",\#(Self.accessToken),"expires_in":60}"#))
        let auth = RefreshableTokenAuthorization(
            service: service {
                TokenExchange(subject: .accessToken("s\(count.withLock { $0 += 1; return $0 })"))
            }, clock: clock)
        #expect(try await auth.validToken().accessToken == "a")
        clock.advance(by: .seconds(61))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .clientRefused)
        clock.advance(by: .seconds(60))
        #expect(try await auth.validToken().accessToken == "b")
        #expect(transport.requests.map { $0.text.contains("&subject_token=s") } == [true, true, true])
        #expect(transport.requests.last?.text.contains("&subject_token=s3&") == true)
    }

    @Test(arguments: [NotAuthorized.Reason.signedOut, .rejected, .noToken])
    func `a person who has signed out where the token comes from is asked for, and nobody is signed out here`(
        reason: NotAuthorized.Reason
    ) async throws {
        let isSignedOut = Lock(false)
        let answer = #"{"access_token":"a",\#(Self.accessToken),"expires_in":60}"#
        transport.append(.response(200, json: answer), .response(200, json: answer))
        let auth = RefreshableTokenAuthorization(
            service: service {
                if isSignedOut.withLock({ $0 }) { throw NotAuthorized(reason) }
                return TokenExchange(subject: .accessToken("s"))
            }, clock: clock)
        _ = try await auth.validToken()
        isSignedOut.withLock { $0 = true }
        clock.advance(by: .seconds(61))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .needsInteraction && (error?.underlying as? NotAuthorized)?.reason == reason)
        #expect(transport.calls == 1)
        // The person signs in again there.
        isSignedOut.withLock { $0 = false }
        clock.advance(by: .seconds(60))
        _ = try await auth.validToken()
        #expect(transport.calls == 2)
    }

    private struct Offline: Error {}

    private static let failures: [any Error & Sendable] = [
        Offline(), TokenTransportError(.timedOut, delivery: .mayHaveBeenProcessed),
        RefreshFailed(underlying: Offline(), nextTryAt: .distantFuture, delivery: .mayHaveBeenProcessed),
    ]

    @Test(arguments: failures.indices)
    func `without a token to exchange nothing is sent, and no answer counts as lost`(index: Int) async throws {
        let auth = RefreshableTokenAuthorization(
            service: service { throw Self.failures[index] }, policy: .init(backOff: .init(patience: .zero)),
            clock: clock)
        let error = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(error?.delivery == .notSent)
        #expect(transport.calls == 0)
    }

    private static let ends: [any Error & Sendable] = [
        ProofUnavailable(.keyLost), NoRefreshToken(), TokenEndpointError(status: 400, code: "invalid_grant"),
    ]

    @Test(arguments: ends.indices)
    func `a session that has ended where the token comes from ends none here`(index: Int) async throws {
        let isOver = Lock(false)
        let answer = #"{"access_token":"a",\#(Self.accessToken),"expires_in":60}"#
        transport.append(.response(200, json: answer), .response(200, json: answer))
        let auth = RefreshableTokenAuthorization(
            service: service {
                if isOver.withLock({ $0 }) { throw Self.ends[index] }
                return TokenExchange(subject: .accessToken("s"))
            }, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        _ = try await auth.validToken()
        isOver.withLock { $0 = true }
        clock.advance(by: .seconds(61))
        let error = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(error?.underlying is ClientAuthenticationFailed)
        isOver.withLock { $0 = false }
        clock.advance(by: .seconds(60))
        _ = try await auth.validToken()
        #expect(transport.calls == 2)
    }

    @Test func `the exchange is repeated if the refresh token of its answer is dead`() async throws {
        transport.append(
            .response(200, json: #"{"access_token":"a","refresh_token":"r",\#(Self.accessToken),"expires_in":60}"#),
            .response(400, json: #"{"error":"invalid_grant"}"#),
            .response(200, json: #"{"access_token":"b",\#(Self.accessToken),"expires_in":60}"#))
        let auth = RefreshableTokenAuthorization(
            service: service { TokenExchange(subject: .accessToken("s")) }, clock: clock)
        #expect(try await auth.validToken().accessToken == "a")
        clock.advance(by: .seconds(61))
        let token = try await auth.validToken()
        // The times of a new grant count from now.
        #expect(token.accessToken == "b" && token.refreshToken == nil && token.authorizedAt == clock.now)
        let exchange = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&"
        #expect(transport.requests.map { $0.text.hasPrefix(exchange) } == [true, false, true])
    }

    @Test func `an empty token and a resource that is no URI are never sent`() async throws {
        for exchange in [
            TokenExchange(subject: .jwt("")), TokenExchange(subject: .jwt("s"), actor: .jwt("")),
            TokenExchange(subject: .jwt("s"), resources: ["backend"]),
        ] {
            await #expect(throws: InvalidTokenRequest.self) { try await service { exchange }.initialToken() }
        }
        #expect(transport.calls == 0)
    }
}
