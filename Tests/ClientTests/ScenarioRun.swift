// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders

/// A client in front of a server; one function for each scenario, in the files of this name.
struct ScenarioRun {
    let name: ClientName
    let client: any TestedClient

    func run(_ scenario: Scenario) async throws {
        switch scenario {
        case .credentialIsSet: try await credentialIsSet()
        case .customFieldIsSet: try await customFieldIsSet()
        case .expiredTokenIsRefreshedFirst: try await expiredTokenIsRefreshedFirst()
        case .signedOutSendsNothing: try await signedOutSendsNothing()
        case .boundCredentialStays: try await boundCredentialStays()
        case .plaintextIsRefused: try await plaintextIsRefused()
        case .injectionIsImpossible: try await injectionIsImpossible()
        case .userInformationIsNoCredential: try await userInformationIsNoCredential()
        case .refusalIsRetriedOnce: try await refusalIsRetriedOnce()
        case .refusalWithoutChallengeIsRetried: try await refusalWithoutChallengeIsRetried()
        case .basicChallengeIsRetried: try await basicChallengeIsRetried()
        case .secondRefusalIsReturned: try await secondRefusalIsReturned()
        case .refreshCountIsKept: try await refreshCountIsKept()
        case .constantRefusalIsReturned: try await constantRefusalIsReturned()
        case .interactionIsNoRefresh: try await interactionIsNoRefresh()
        case .staleRefusalRefreshesNothing: try await staleRefusalRefreshesNothing()
        case .fiftyRefusalsRefreshOnce: try await fiftyRefusalsRefreshOnce()
        case .requestsAreHeldDuringRefresh: try await requestsAreHeldDuringRefresh()
        case .failedRefreshIsThrown: try await failedRefreshIsThrown()
        case .rejectedRefreshEndsSession: try await rejectedRefreshEndsSession()
        case .endedSessionIsThrown: try await endedSessionIsThrown()
        case .replacedSessionIsNotSent: try await replacedSessionIsNotSent()
        case .nextPersonSendsNothing: try await nextPersonSendsNothing()
        case .lastRefusalCounts: try await lastRefusalCounts()
        case .otherStatusIsUntouched: try await otherStatusIsUntouched()
        case .bodyIsSentAgain: try await bodyIsSentAgain()
        case .oneShotBodyIsSentOnce: try await oneShotBodyIsSentOnce()
        case .bodyInPiecesIsWhole: try await bodyInPiecesIsWhole()
        case .headHasNoBody: try await headHasNoBody()
        case .cancelledBeforehand: try await cancelledBeforehand()
        case .cancelledWhileHeld: try await cancelledWhileHeld()
        case .cancelledAfterRefusal: try await cancelledAfterRefusal()
        case .cancelledWhileSending: try await cancelledWhileSending()
        case .cancelledDuringBody: try await cancelledDuringBody()
        case .transportErrorIsPassedOn: try await transportErrorIsPassedOn()
        case .sameOriginKeeps: try await sameOriginKeeps()
        case .otherHostDrops: try await otherHostDrops()
        case .otherPortDrops: try await otherPortDrops()
        case .upgradeDrops: try await upgradeDrops()
        case .downgradeDrops: try await downgradeDrops()
        case .customFieldDrops: try await customFieldDrops()
        case .droppedStaysDropped: try await droppedStaysDropped()
        case .refusalElsewhereIsNoNews: try await refusalElsewhereIsNoNews()
        case .locationIsNoCredential: try await locationIsNoCredential()
        case .redirectKeepsBody: try await redirectKeepsBody()
        case .answeredRequestIsNotRepeated: try await answeredRequestIsNotRepeated()
        case .refusedRedirectKeepsBody: try await refusedRedirectKeepsBody()
        case .proofIsMade: try await proofIsMade()
        case .nonceIsRetried: try await nonceIsRetried()
        case .nonceOfBadRequestIsRetried: try await nonceOfBadRequestIsRetried()
        case .rotatedNonceIsRetried: try await rotatedNonceIsRetried()
        case .nonceLoopEnds: try await nonceLoopEnds()
        case .repeatedNonceEnds: try await repeatedNonceEnds()
        case .provenRefusalIsRetried: try await provenRefusalIsRetried()
        case .provenBodyIsSentAgain: try await provenBodyIsSentAgain()
        case .nonceOfAnyAnswerIsUsed: try await nonceOfAnyAnswerIsUsed()
        case .sameOriginIsProvenAnew: try await sameOriginIsProvenAnew()
        case .redirectGetsNonce: try await redirectGetsNonce()
        case .otherOriginIsNotProven: try await otherOriginIsNotProven()
        case .bodiesQueue: try await bodiesQueue()
        case .bodiesReuse: try await bodiesReuse()
        case .connectionIsReused: try await connectionIsReused()
        case .manyRequestsLeaveNothing: try await manyRequestsLeaveNothing()
        }
    }

    /// The server's answer to the refused token.
    static let refusal = Answer.unauthorized("Bearer error=\"invalid_token\"", body: "no")

    /// Refuses the token `a`.
    static let refusesA: RawServer.Script = { $0["Authorization"] == "Bearer a" ? refusal : .text("hello") }

    /// A provider that holds the token `a`.
    func holding(
        _ service: ScriptedTokenService<TestToken>, token: TestToken = TestToken("a"), held: Tally? = nil
    ) -> RefreshableTokenAuthorization<TestToken> {
        RefreshableTokenAuthorization(
            service: service, token: token, store: nil, policy: .init(backOff: .init(patience: .zero)),
            clock: SystemClock(), onHold: { held?.add() })
    }
}
#endif
