// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalScenarios
import Testing

/// A scenario, a mistake, and the check that must notice it.
struct Control: Sendable, CustomTestStringConvertible {
    let scenario: String
    let mistake: Break
    let check: String
    var variant = Scenario.Variant.plain

    init(_ scenario: String, _ mistake: Break, _ check: String, _ variant: Scenario.Variant = .plain) {
        (self.scenario, self.mistake, self.check, self.variant) = ("auth/" + scenario, mistake, check, variant)
    }

    var testDescription: String { "\(scenario), \(variant.rawValue): a client that \(mistake.rawValue)" }

    static let all = discovery + clients + scopes + tokens + responses + extensions + sessions

    private static let discovery = [
        Control("metadata-default", .readsRootFirst, "prm-priority"),
        Control("metadata-default", .statesNoVersion, "wire"),
        Control("metadata-var1", .readsOAuthMetadataOnly, "server-metadata"),
        Control("metadata-var2", .readsServerRootFirst, "server-metadata-root"),
        Control("metadata-var3", .ignoresPlaceInChallenge, "resource-metadata"),
        Control("metadata-var3", .readsServerRootFirst, "server-metadata-root"),
        Control("resource-mismatch", .acceptsAnyResource, "nothing-sent"),
        Control("resource-mismatch", .acceptsAnyResource, "untrusted-server"),
        Control("metadata-issuer-mismatch", .ignoresIssuerOfMetadata, "nothing-sent"),
        Control("metadata-issuer-mismatch", .ignoresIssuerOfMetadata, "untrusted-server"),
        Control("authorization-server-migration", .neverReadsAgain, "registration-again"),
        Control("authorization-server-migration", .neverReadsAgain, "calls"),
        Control("authorization-server-migration", .keepsClient, "client-of-other-server"),
        Control("2025-03-26-oauth-metadata-backcompat", .takesNoOriginForIssuer, "server-metadata"),
        Control("2025-03-26-oauth-endpoint-fallback", .guessesNoEndpoints, "registration"),
    ]

    private static let clients = [
        Control("basic-cimd", .alwaysRegisters, "client-document"),
        Control("pre-registration", .alwaysRegisters, "given-client"),
        Control("pre-registration", .alwaysRegisters, "registration-closed"),
        Control("token-endpoint-auth-basic", .authenticatesOtherwise, "auth-method"),
        Control("token-endpoint-auth-post", .authenticatesOtherwise, "auth-method"),
        Control("token-endpoint-auth-none", .authenticatesOtherwise, "auth-method"),
        Control("metadata-default", .registersOtherPort, "redirect-uri"),
        Control("offline-access-scope", .leavesOutRefreshGrant, "grant-types"),
    ]

    private static let scopes = [
        Control("scope-from-www-authenticate", .ignoresScopesOfChallenge, "scope"),
        Control("scope-from-scopes-supported", .asksForNoScope, "scope"),
        Control("scope-omitted-when-undefined", .asksForMore, "scope"),
        Control("scope-step-up", .stepsUpWithoutUnion, "scope-union"),
        Control("scope-retry-limit", .stepsUpForEver, "authorization-limit"),
        Control("offline-access-not-supported", .asksForOfflineAccess, "scope"),
    ]

    private static let tokens = [
        Control("metadata-default", .sendsPlainChallenge, "pkce-s256"),
        Control("metadata-default", .sendsOtherVerifier, "pkce-verifier"),
        Control("token-endpoint-auth-none", .leavesOutResource, "resource-parameter"),
        Control("token-endpoint-auth-none", .addsFragmentToResource, "resource-parameter"),
        Control("metadata-default", .presentsCodeTwice, "code-once"),
        Control("metadata-default", .presentsOtherCode, "code"),
        Control("metadata-default", .namesOtherClient, "client-id"),
        Control("metadata-default", .makesUpToken, "token"),
        Control("metadata-default", .putsTokenInURL, "token-placement"),
    ]

    private static let responses = [
        Control("iss-supported", .refusesAnyIssuer, "code-exchanged"),
        Control("iss-not-advertised", .wantsIssuerAlways, "code-exchanged"),
        Control("iss-supported-missing", .ignoresIssuer, "code-not-exchanged"),
        Control("iss-wrong-issuer", .ignoresIssuer, "code-not-exchanged"),
        Control("iss-unexpected", .comparesAnnouncedIssuerOnly, "code-not-exchanged"),
        Control("iss-normalized", .dropsSlashOfIssuer, "code-not-exchanged"),
    ]

    private static let extensions = [
        Control("client-credentials-basic", .authenticatesOtherwise, "auth-method"),
        Control("client-credentials-jwt", .addressesAssertionToEndpoint, "assertion"),
        Control("enterprise-managed-authorization", .leavesOutAudience, "token-exchange"),
        Control("dpop", .reusesProof, "proof"),
        Control("dpop", .usesBearer, "proof-scheme"),
        Control("dpop-nonce", .ignoresNonces, "nonce"),
        Control("dpop-nonce", .sharesNonces, "nonce-of-other-server"),
        Control("wif-jwt-bearer", .presentsExpiredAssertion, "assertion"),
        Control("wif-jwt-bearer", .retriesRefusal, "no-retry", .refusal),
    ]

    /// A client that forgets its session over a fault, for each fault, and one that spends its refresh token.
    private static let sessions =
        Scenario.all.filter { $0.variants.contains(.earlierSession) }.map {
            Control(String($0.name.dropFirst("auth/".count)), .dropsSession, "session-lives", .earlierSession)
        } + [
            Control("resource-mismatch", .presentsRefreshTokenTwice, "refresh-rotation", .earlierSession),
            Control("resource-mismatch", .presentsOtherRefreshToken, "refresh-token", .earlierSession),
        ]
}
