// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// No type of this module prints a secret.
@Suite struct RedactionTests {
    @Test func `no public type shows a secret, whichever way it is printed`() async throws {
        #expect(try await Exhibit.all().flatMap(\.leaks) == [])
    }

    @Test func `every public type is on show here, or is known to hold no secret`() async throws {
        let shown = Set(try await Exhibit.all().map(\.type))
        let declared = try PublicTypes.declared(in: ["RequestAuthorizationOAuth"])
        #expect(declared.contains("OAuthToken"))
        let forgotten = declared.subtracting(shown).subtracting(Self.withoutSecrets)
            .subtracting(Exhibit.signInWithoutSecrets)
        #expect(forgotten.isEmpty, "show them in Exhibit.all(), or say that they hold no secret")
    }

    @Test func `a type that holds a secret prints its name`() {
        #expect("\(OAuthToken(accessToken: "a"))" == "OAuthToken([redacted])")
        #expect("\(OAuthClient.secretBasic(id: "web", secret: "s"))" == "OAuthClient(web, secretBasic([redacted]))")
        #expect("\(OAuthClient.public(id: "tool"))" == "OAuthClient(tool, none)")
        #expect(
            "\(InvalidTokenResponse(field: "access_token", problem: .missing))".contains("access_token is missing"))
    }

    /// Addresses, names and numbers only.
    private static let withoutSecrets: Set = [
        "AuthorizationServer", "AuthorizationServerError", "AuthorizationServerError.Problem",
        "ServerQuirks", "JSONWebKey", "AssertionAudience", "SecurityTokenType", "SignatureAlgorithm",
        "SigningKeyError", "ProofOfPossession", "ProofOfPossession.KeyStorage", "ProofOfPossession.Algorithm",
        "ProofUnavailable", "ProofUnavailable.Problem", "TokenIssuer", "TokenOfOtherIssuer", "IdentityTokenError",
        "ProtectedResource", "ProtectedResourceError", "ProtectedResourceError.Problem", "ResourceSignIn.Reason",
        "ResourceSignIn.Request", "ResourceSessionSummary", "SignInUnderWay", "LoopbackReceiver",
        "LoopbackReceiver.Address",
    ]
}

extension Exhibit {
    static func all() async throws -> [Exhibit] {
        let secret = Secret.text
        let clients = [
            OAuthClient(
                id: "web", authentication: .secretBasic(secret), authorizationParameters: ["login_hint": secret],
                tokenParameters: ["x": secret]),
            OAuthClient.secretPost(id: "web", secret: secret),
        ]
        let token = OAuthToken(
            accessToken: secret, refreshToken: secret, tokenType: secret, scopes: [secret], idToken: secret,
            additionalMembers: ["x": .string(secret)])
        let key = try JSONDecoder().decode(
            ProofKey.self, from: Data(#"{"kind":"p256","bytes":"\#(Data(secret.utf8).base64EncodedString())"}"#.utf8))
        let bound = OAuthToken(accessToken: secret, tokenType: "DPoP", proofKey: key)
        let answer =
            #"{"active":true,"username":"\#(secret)","sub":"\#(secret)","x":"\#(secret)","scope":"\#(secret)"}"#
        let service = OAuthTokenService.authorizationCode(
            server: AuthorizationServer.make(), client: clients[0],
            transport: ScriptedTokenTransport(.response(200, json: answer)))
        return clients.map { Exhibit("OAuthClient", $0) }
            + clients.map { Exhibit("ClientAuthentication", $0.authentication) }
            + [
                Exhibit("OAuthToken", token), Exhibit("OAuthToken", bound), Exhibit("ProofKey", key),
                Exhibit("JSONValue", JSONValue.object([secret: .string(secret)])),
                Exhibit("TokenEndpoint", service.endpoint), Exhibit("OAuthTokenService", service),
                Exhibit("TokenIntrospection", try await service.introspect(token)),
            ] + resources + proofs + (try signers()) + (try await signIn()) + loopback
    }

    private static var resources: [Exhibit] {
        let client = OAuthClient.secretPost(id: "web", secret: Secret.text)
        let identity = ClientIdentity(
            name: "App", registered: ["https://as.example": client], softwareStatement: Secret.text)
        let registration = ClientRegistration(client: client, issuer: nil, redirectURI: nil, secretExpiresAt: nil)
        let memory = InMemoryResourceRecords()
        memory.save(Data(Secret.text.utf8), named: "x")
        return [
            Exhibit("ClientIdentity", identity), Exhibit("ClientRegistration", registration),
            Exhibit("InMemoryResourceRecords", memory),
            Exhibit("ItemResourceRecords", ItemResourceRecords(in: NamedFiles(client: Secret.text))),
            Exhibit("ResourceSignIn", ResourceSignIn.never),
            Exhibit(
                "ProtectedResourceAuthorization",
                ProtectedResourceAuthorization(
                    "https://notes.example", client: identity, records: memory, transport: ScriptedTokenTransport())),
        ]
    }

    private static var proofs: [Exhibit] {
        struct SecretError: Error { let text = Secret.text }
        let pairs = [(name: "client_assertion", value: Secret.text)]
        return [
            Exhibit(
                "ClientRequest",
                ClientRequest(
                    clientID: "web", server: .make(), endpoint: URL(filePath: "/"), parameters: pairs, date: .now)),
            Exhibit("GrantAssertion", GrantAssertion.token(Secret.text)),
            Exhibit("SecurityToken", SecurityToken.jwt(Secret.text)),
            Exhibit("TokenExchange", TokenExchange(subject: .jwt(Secret.text), audiences: [Secret.text])),
            Exhibit("ClientProof", ClientProof(parameters: pairs, fields: pairs)),
            Exhibit("ClientAuthenticationFailed", ClientAuthenticationFailed(underlying: SecretError())),
            Exhibit("WorkloadIdentity", WorkloadIdentity.environment("X", in: ["X": Secret.text])),
            Exhibit("WorkloadAuthenticator", WorkloadAuthenticator.workload(.environment("X", in: ["X": Secret.text]))),
            Exhibit(
                "WorkloadIdentityError",
                WorkloadIdentityError(.refused, source: "file", underlying: SecretError())),
            Exhibit(
                "SignedInIdentity",
                SignedInIdentity(
                    issuer: Secret.text, subject: Secret.text, claims: [Secret.text: .string(Secret.text)])),
        ]
    }

    /// The key is a published one, and the test searches the printed text for its private part.
    private static func signers() throws -> [Exhibit] {
        #if canImport(CryptoKit) || Crypto
        let secret = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
        let signer = try PrivateKeySigner(jwk: PublishedKey.p256)
        let texts = Channel.allCases.flatMap { [$0.text(of: signer), $0.text(of: PrivateKeyJWT(signer))] }
        let leak = texts.contains { $0.contains(secret) || $0.contains("142, 155, 16") } ? Secret.text : ""
        return [
            Exhibit("PrivateKeySigner", signer), Exhibit("PrivateKeySigner", leak),
            Exhibit("PrivateKeyJWT", PrivateKeyJWT(signer, audience: .text(Secret.text), type: Secret.text)),
        ]
        #else
        return [Exhibit("PrivateKeySigner", "declared with the trait only"), Exhibit("PrivateKeyJWT", "no signer")]
        #endif
    }

    private static var loopback: [Exhibit] {
        #if LoopbackReceiver
        struct SecretError: Error { let text = Secret.text }
        return [
            Exhibit("LoopbackReceiverError", LoopbackReceiverError(.cannotListen, underlying: SecretError()))
        ]
        #else
        return [Exhibit("LoopbackReceiverError", "declared with the trait only")]
        #endif
    }
}
