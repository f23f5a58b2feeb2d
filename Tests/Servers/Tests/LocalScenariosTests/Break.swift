// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A mistake that the reference client makes on purpose.
enum Break: String, CaseIterable, Sendable {
    // Discovery.
    case readsRootFirst, ignoresPlaceInChallenge, readsOAuthMetadataOnly, readsServerRootFirst
    case acceptsAnyResource, ignoresIssuerOfMetadata, neverReadsAgain, takesNoOriginForIssuer, guessesNoEndpoints
    // Registration and authentication.
    case alwaysRegisters, keepsClient, registersOtherPort, leavesOutApplicationType, leavesOutRefreshGrant
    case authenticatesOtherwise, addressesAssertionToEndpoint, presentsExpiredAssertion
    // Scopes.
    case ignoresScopesOfChallenge, asksForNoScope, asksForMore, asksForOfflineAccess
    case stepsUpWithoutUnion, stepsUpForEver
    // Codes and tokens.
    case sendsPlainChallenge, sendsOtherVerifier, leavesOutResource, addsFragmentToResource
    case presentsCodeTwice, presentsOtherCode, presentsOtherRefreshToken, namesOtherClient
    case makesUpToken, putsTokenInURL, presentsRefreshTokenTwice, dropsSession, retriesRefusal, leavesOutAudience
    // The issuer in responses.
    case ignoresIssuer, comparesAnnouncedIssuerOnly, dropsSlashOfIssuer, refusesAnyIssuer, wantsIssuerAlways
    // Proofs.
    case reusesProof, usesBearer, ignoresNonces, sharesNonces
    // MCP.
    case statesNoVersion
}
