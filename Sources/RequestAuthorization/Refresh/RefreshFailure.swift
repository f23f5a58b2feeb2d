// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A failed refresh, sorted: what the state decides on, apart from the error itself.
struct RefreshFailure: Sendable {
    let kind: TokenFailureKind
    let retryAfter: Duration?
    let delivery: TokenRequestDelivery
    let error: any Error

    init(_ error: any Error) {
        self.error = error
        switch error {
        case let error as any TokenServiceFailure:
            (kind, retryAfter, delivery) = (error.kind, error.retryAfter, error.delivery)
        case let error as NotAuthorized where !Self.mistakes.contains(error.reason):
            (kind, retryAfter, delivery) = (.terminal, nil, .answered)
        default:
            (kind, retryAfter, delivery) = (.transient, nil, .mayHaveBeenProcessed)
        }
    }

    /// What is wrong with the program (a service that waits for itself, plain http) is told, and signs nobody out.
    private static let mistakes: Set<NotAuthorized.Reason> = [
        .reentrantRefresh, .insecureTransport, .originNotAllowed, .malformedCredential, .redirectsFollowed,
        .refreshedTooOften,
    ]

    /// A failure of the store, whatever it throws: nothing was sent, and no session ends.
    init(ofStore error: any Error) {
        (kind, retryAfter, delivery, self.error) = (.transient, nil, .notSent, error)
    }

    /// What callers get when the failure ends the session.
    var ending: NotAuthorized { (error as? NotAuthorized) ?? NotAuthorized(.rejected, underlying: error) }
}

/// Two failures are equal if the state treats them alike; what the error says besides does not count.
extension RefreshFailure: Hashable {
    private var facts: [AnyHashable] { [kind, retryAfter, delivery, (error as? NotAuthorized)?.reason] }
    static func == (left: Self, right: Self) -> Bool { left.facts == right.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}
