// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Samples of the guide for grants without a sign-in.
@Suite struct GrantSamples {
    let transport = ScriptedTokenTransport(
        forever: .response(
            200,
            json:
                #"{"access_token":"a","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","expires_in":60}"#
        ))
    let server = AuthorizationServer(
        issuer: "https://accounts.example.com", tokenEndpoint: URL(string: "https://accounts.example.com/token"))
    let client = OAuthClient.secretBasic(id: "orders", secret: "s")

    private var body: String { transport.requests.last.map { String(decoding: $0.body, as: UTF8.self) } ?? "" }

    @Test func `a service account of Google`() async throws {
        // Not run: it needs a file from Google.
        func google(_ file: URL) throws -> RefreshableTokenAuthorization<OAuthToken> {
            // sample: google
            let service = try OAuthTokenService.googleServiceAccount(
                key: Data(contentsOf: file), scopes: ["https://www.googleapis.com/auth/devstorage.read_only"],
                transport: transport)
            let auth = RefreshableTokenAuthorization(service: service)  // fetches its first token by itself
            // end sample
            return auth
        }
        #expect(throws: (any Error).self) { try google(URL(filePath: "/nowhere")) }
    }

    @Test func `a service account of any server`() async throws {
        let signer = PrivateKeySigner.generated()
        // sample: jwt-bearer
        let service = OAuthTokenService.jwtBearer(
            server: server, assertion: .signed(by: signer, issuer: "robot@example.com"), scopes: ["read"],
            transport: transport)
        // end sample
        #expect(try await service.initialToken().accessToken == "a")
        #expect(body.contains("&assertion=eyJ"))
    }

    @Test func `on behalf of the user whose token was received`() async throws {
        let incoming = "t"
        // sample: on-behalf-of
        let service = OAuthTokenService.onBehalfOf(
            server: server, client: client, incoming: incoming,
            scopes: ["https://graph.microsoft.com/user.read", "offline_access"], transport: transport)
        let auth = RefreshableTokenAuthorization(service: service)  // one for each received token
        // end sample
        #expect(try await auth.validToken().accessToken == "a")
        #expect(body.hasSuffix("requested_token_use=on_behalf_of"))
    }

    @Test func `one token for another`() async throws {
        let person = RefreshableTokenAuthorization(
            service: OAuthTokenService.authorizationCode(server: server, client: client, transport: transport))
        try await person.setToken(OAuthToken(accessToken: "p"))
        // sample: exchange
        let service = OAuthTokenService.tokenExchange(server: server, client: client, transport: transport) {
            TokenExchange(subject: .accessToken(try await person.validToken().accessToken), audiences: ["ledger"])
        }
        let ledger = RefreshableTokenAuthorization(service: service)
        // end sample
        #expect(try await ledger.validToken().accessToken == "a")
        #expect(body.contains("audience=ledger&subject_token=p&"))
    }

    @Test func `a log-in at a company's identity provider, for another server`() async throws {
        let kind = "urn:ietf:params:oauth:token-type:id-jag"
        let transport = ScriptedTokenTransport(
            .response(200, json: #"{"access_token":"jag","issued_token_type":"\#(kind)","token_type":"N_A"}"#),
            .response(200, json: #"{"access_token":"a","expires_in":60}"#))
        let company = OAuthTokenService.authorizationCode(
            server: AuthorizationServer(
                issuer: "https://company.example.com", tokenEndpoint: URL(string: "https://company.example.com/token")),
            client: .public(id: "app"), transport: transport)
        let person = RefreshableTokenAuthorization(service: company)
        try await person.setToken(OAuthToken(accessToken: "p", refreshToken: "r"))
        // sample: identity-assertion
        // `person` has signed in with `company`, at the identity provider.
        let service = OAuthTokenService.identityAssertion(
            from: company.endpoint, server: server, client: client, scopes: ["read"], transport: transport
        ) {
            try company.endpoint.logIn(of: await person.validToken())
        }
        let calendar = RefreshableTokenAuthorization(service: service)
        // end sample
        #expect(try await calendar.validToken().accessToken == "a")
        #expect(transport.requests.map(\.url.host) == ["company.example.com", "accounts.example.com"])
    }

    @Test func `a token of another kind`() async throws {
        let endpoint = TokenEndpoint(server: server, client: client, transport: transport)
        let accessToken = "p"
        // sample: other-kind
        let exchanged = try await endpoint.exchange(
            TokenExchange(subject: .accessToken(accessToken), requestedType: .idToken))
        print(exchanged.issuedTokenType == .idToken)  // then exchanged.accessToken is the id token
        // end sample
        #expect(exchanged.issuedTokenType == .accessToken)
    }
}
#endif
