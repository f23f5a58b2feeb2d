// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The behaviour that every client must show over real sockets. `Documentation/Clients.md` prints the texts.
///
/// The tests of a client run each scenario that the client supports (``needs``) and record it in the ``ClientTable``.
package enum Scenario: String, CaseIterable, Sendable {
    // MARK: Credentials
    case credentialIsSet = "the credential is set, once, in place of one that was there; other fields stay"
    case customFieldIsSet = "a credential in a field of another name is set"
    case expiredTokenIsRefreshedFirst = "a token that has expired is refreshed before anything is sent"
    case signedOutSendsNothing = "after a sign-out nothing is sent"
    case boundCredentialStays = "a credential that is bound to another origin is not sent"
    case plaintextIsRefused = "plain http to another host is refused, unless it is allowed"
    case injectionIsImpossible = "a credential with a line break never reaches the wire"
    case userInformationIsNoCredential = "user information in the URL does not replace the credential"

    // MARK: Refreshing
    case refusalIsRetriedOnce = "401, one refresh, the same request once more"
    case refusalWithoutChallengeIsRetried = "a 401 without challenge too"
    case basicChallengeIsRetried = "a 401 that offers Basic beside Bearer too"
    case secondRefusalIsReturned = "a second 401 is returned, body included"
    case refreshCountIsKept = "as many tries as asked for: none, two"
    case constantRefusalIsReturned = "a 401 for a constant credential is returned, body included"
    case interactionIsNoRefresh = "a 401 that asks for a stronger log-in refreshes nothing"
    case staleRefusalRefreshesNothing = "a 401 for an old token refreshes nothing"
    case fiftyRefusalsRefreshOnce = "50 concurrent 401s make one refresh"
    case requestsAreHeldDuringRefresh = "requests during a refresh after a 401 are held: none is wasted on a 401"
    case failedRefreshIsThrown = "a refresh that fails is thrown to all who wait, and asked for once"
    case rejectedRefreshEndsSession = "a refresh that is rejected ends the session"
    case endedSessionIsThrown = "50 concurrent 401s of a session that ends are thrown alike, as its end"
    case replacedSessionIsNotSent = "a request is not sent again in a session that a sibling process has begun"
    case otherStatusIsUntouched = "403 and other statuses are returned as they are"

    // MARK: Bodies
    case bodyIsSentAgain = "a body that is sent twice is the same byte for byte"
    case oneShotBodyIsSentOnce = "a body that can be read once is not sent twice; the 401 is returned"
    case bodyInPiecesIsWhole = "an answer in pieces is put together"
    case headHasNoBody = "HEAD works, and is retried after a 401"

    // MARK: Cancellation and errors
    case cancelledBeforehand = "a task that is cancelled already sends nothing"
    case cancelledWhileHeld = "cancelled while it waits for the refresh: it ends at once, the refresh goes on"
    case cancelledAfterRefusal = "cancelled while it waits after a 401: it ends at once, the refresh goes on"
    case cancelledWhileSending = "cancelled while the server is silent: it ends at once, the connection closes"
    case cancelledDuringBody = "cancelled while the body comes: it ends at once, the connection closes"
    case transportErrorIsPassedOn = "an error of the client is thrown as it is, and nothing is sent again"

    // MARK: Redirects
    case sameOriginKeeps = "a redirect to the same origin keeps the credential"
    case otherHostDrops = "a redirect to another host drops it"
    case otherPortDrops = "a redirect to another port drops it"
    case upgradeDrops = "a redirect from http to https drops it, also at the same host and port"
    case downgradeDrops = "a redirect from https to http drops it, also at the same host and port"
    case customFieldDrops = "a redirect to another origin drops a credential in a field of another name"
    case droppedStaysDropped = "a credential that was dropped does not come back"
    case refusalElsewhereIsNoNews = "a 401 of another origin refreshes nothing"
    case locationIsNoCredential = "user information in a location is not made a credential"
    case redirectKeepsBody = "a redirect that keeps the method keeps the body"

    // MARK: Proofs
    case proofIsMade = "each request has a proof of its own, for its method and its URL"
    case nonceIsRetried = "a 401 that asks for a nonce: the same token with a new proof, no refresh, no try is counted"
    case nonceLoopEnds = "a server that asks for a nonce each time gets two requests; its 401 is returned"
    case provenRefusalIsRetried = "a 401 for the token: one refresh, and a new proof for the new token"
    case provenBodyIsSentAgain = "a body goes along with the new proof, byte for byte"
    case nonceOfAnyAnswerIsUsed = "a nonce that came with a 200 is in the next proof"
    case sameOriginIsProvenAnew = "a redirect to the same origin has a proof for its own URL"
    case otherOriginIsNotProven = "a redirect to another origin has neither token nor proof"

    // MARK: Connections
    case bodiesQueue = "requests with bodies keep to the number of connections; those that wait can be cancelled"
    case bodiesReuse = "a request with a body that may be repeated uses a connection again"
    case connectionIsReused = "the connection is used again after a 401"
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
        case .customFieldDrops, .sameOriginIsProvenAnew, .otherOriginIsNotProven: [.redirects, .customFields]
        case .nonceOfAnyAnswerIsUsed: [.customFields, .allAnswers]
        case .proofIsMade, .nonceIsRetried, .nonceLoopEnds, .provenRefusalIsRetried, .provenBodyIsSentAgain:
            [.customFields]
        case .upgradeDrops, .downgradeDrops: [.redirects, .privateCertificates]
        case .sameOriginKeeps, .otherHostDrops, .otherPortDrops, .droppedStaysDropped,
            .refusalElsewhereIsNoNews, .locationIsNoCredential, .redirectKeepsBody:
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
