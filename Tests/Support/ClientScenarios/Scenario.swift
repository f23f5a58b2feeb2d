// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The behaviour that every client must show over real sockets. `Documentation/Clients.md` prints the texts.
///
/// The tests of a client run each scenario that the client supports (``needs``) and record it in the ``ClientTable``.
package enum Scenario: String, CaseIterable, Sendable {
    // MARK: Credentials
    case credentialIsSet = "the credential is set once and replaces an existing one; other fields stay"
    case customFieldIsSet = "a credential in a field of another name is set"
    case expiredTokenIsRefreshedFirst = "a token that has expired is refreshed before anything is sent"
    case signedOutSendsNothing = "after a sign-out nothing is sent"
    case boundCredentialStays = "a credential that is bound to another origin is not sent"
    case plaintextIsRefused = "plain http to another host is refused, unless it is allowed"
    case injectionIsImpossible = "a credential with a line break never reaches the wire"
    case userInformationIsNoCredential = "user information in the URL does not replace the credential"

    // MARK: Refreshing
    case refusalIsRetriedOnce = "after a 401: one refresh, and the same request once more"
    case refusalWithoutChallengeIsRetried = "a 401 without a challenge is retried too"
    case basicChallengeIsRetried = "a 401 that offers Basic beside Bearer is retried too"
    case secondRefusalIsReturned = "a second 401 is returned, body included"
    case refreshCountIsKept = "the requested number of retries: none, two"
    case constantRefusalIsReturned = "a 401 for a constant credential is returned, body included"
    case interactionIsNoRefresh = "a 401 that asks for a stronger log-in refreshes nothing"
    case staleRefusalRefreshesNothing = "a 401 for an old token refreshes nothing"
    case fiftyRefusalsRefreshOnce = "50 concurrent 401s make one refresh"
    case requestsAreHeldDuringRefresh = "requests during a refresh after a 401 are held, and get the new token"
    case failedRefreshIsThrown = "a refresh that fails is tried once, and all waiting requests throw its error"
    case rejectedRefreshEndsSession = "a refresh that is rejected ends the session"
    case endedSessionIsThrown = "50 concurrent 401s of a session that ends all throw that the session has ended"
    case replacedSessionIsNotSent = "a request is not sent again in a session that a sibling process has begun"
    case nextPersonSendsNothing = "a request is not sent again as the person who signs in next"
    case lastRefusalCounts = "a 401 that is returned refreshes the token for the next request, but no young one"
    case otherStatusIsUntouched = "403 and other statuses are returned as they are"

    // MARK: Bodies
    case bodyIsSentAgain = "a body that is sent twice is the same byte for byte"
    case oneShotBodyIsSentOnce = "a body that can be read once is not sent twice; the 401 is returned"
    case bodyInPiecesIsWhole = "an answer in pieces is joined"
    case headHasNoBody = "HEAD works, and is retried after a 401"

    // MARK: Cancellation and errors
    case cancelledBeforehand = "a task that is cancelled already sends nothing"
    case cancelledWhileHeld = "cancelled while it waits for the refresh: it ends at once, the refresh goes on"
    case cancelledAfterRefusal = "cancelled while it waits after a 401: it ends at once, the refresh goes on"
    case cancelledWhileSending = "cancelled while the server is silent: it ends at once, the connection closes"
    case cancelledDuringBody = "cancelled while the body arrives: it ends at once, the connection closes"
    case transportErrorIsPassedOn = "an error of the client is thrown unchanged, and nothing is sent again"

    // MARK: Redirects
    case sameOriginKeeps = "a redirect to the same origin keeps the credential"
    case otherHostDrops = "a redirect to another host drops the credential"
    case otherPortDrops = "a redirect to another port drops the credential"
    case upgradeDrops = "a redirect from http to https drops the credential, also at the same host and port"
    case downgradeDrops = "a redirect from https to http drops the credential, also at the same host and port"
    case customFieldDrops = "a redirect to another origin drops a credential in a field of another name"
    case droppedStaysDropped = "a credential that was dropped does not come back"
    case refusalElsewhereIsNoNews = "a 401 of another origin refreshes nothing"
    case locationIsNoCredential = "user information in the URL of a redirect does not become a credential"
    case redirectKeepsBody = "a redirect that keeps the method keeps the body"
    case answeredRequestIsNotRepeated = "after a redirect only the refused request is sent again, not what led there"
    case refusedRedirectKeepsBody = "a refused request after a 307 is sent again with its body"

    // MARK: Proofs
    case proofIsMade = "each request has a proof of its own, for its method and its URL"
    case nonceIsRetried = "a 401 that asks for a nonce: same token, new proof, no refresh, not counted as a retry"
    case nonceOfBadRequestIsRetried = "a 400 that asks for a nonce gets a new proof, too; any other 400 is returned"
    case rotatedNonceIsRetried = "a nonce that is refused for another one: a third request with that, no refresh"
    case nonceLoopEnds = "a server with another nonce each time gets at most four requests; its 401 is returned"
    case repeatedNonceEnds = "a server that asks for the nonce that it refused gets two requests; its 401 is returned"
    case provenRefusalIsRetried = "a 401 for the token: one refresh, and a new proof for the new token"
    case provenBodyIsSentAgain = "a body is sent again with the new proof, byte for byte"
    case nonceOfAnyAnswerIsUsed = "a nonce from a 200 is in the next proof"
    case sameOriginIsProvenAnew = "a redirect to the same origin has a proof for its own URL"
    case redirectGetsNonce = "after a redirect only the request that lacks a nonce is sent again"
    case otherOriginIsNotProven = "a redirect to another origin has neither token nor proof"

    // MARK: Connections
    case bodiesQueue = "requests with bodies keep the limit of connections; a waiting one can be cancelled"
    case bodiesReuse = "a request with a body that may be repeated reuses a connection"
    case connectionIsReused = "the connection is reused after a 401"
    case manyRequestsLeaveNothing = "10 000 requests leave neither a descriptor nor memory behind"

    /// The heading of the scenario's table: the cases are listed group by group.
    package var group: String {
        let group = Self.allCases.prefix { $0 != self }.last { Self.headings[$0] != nil }
        return Self.headings[self] ?? group.flatMap { Self.headings[$0] } ?? ""
    }

    /// The headings, by the first scenario below each.
    private static let headings: [Scenario: String] = [
        .credentialIsSet: "Credentials", .refusalIsRetriedOnce: "Refreshing", .bodyIsSentAgain: "Bodies",
        .cancelledBeforehand: "Cancellation and errors", .sameOriginKeeps: "Redirects", .proofIsMade: "Proofs",
        .bodiesQueue: "Connections",
    ]

    /// The capabilities without which the scenario does not apply to a client.
    package var needs: Set<Capability> {
        switch self {
        case .customFieldDrops, .sameOriginIsProvenAnew, .redirectGetsNonce, .otherOriginIsNotProven:
            [.redirects, .customFields]
        case .nonceOfAnyAnswerIsUsed: [.customFields, .allAnswers]
        case .proofIsMade, .nonceIsRetried, .nonceOfBadRequestIsRetried, .rotatedNonceIsRetried, .nonceLoopEnds,
            .repeatedNonceEnds, .provenRefusalIsRetried, .provenBodyIsSentAgain:
            [.customFields]
        case .upgradeDrops, .downgradeDrops: [.redirects, .privateCertificates]
        case .sameOriginKeeps, .otherHostDrops, .otherPortDrops, .droppedStaysDropped,
            .refusalElsewhereIsNoNews, .locationIsNoCredential, .redirectKeepsBody, .answeredRequestIsNotRepeated,
            .refusedRedirectKeepsBody:
            [.redirects]
        case .customFieldIsSet: [.customFields]
        case .oneShotBodyIsSentOnce: [.oneShotBodies]
        default: []
        }
    }
}

/// A feature that some HTTP clients lack.
package enum Capability: Sendable {
    /// Follows redirects.
    case redirects
    /// Sends credentials in fields other than the usual ones.
    case customFields
    /// Sends a body that can be read once.
    case oneShotBodies
    /// Shows every answer to the provider, not only a 401.
    case allAnswers
    /// Can trust a certificate that a test has made.
    case privateCertificates
}
