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
        case let error as NotAuthorized:
            (kind, retryAfter, delivery) = (Self.kinds[error.reason] ?? .transient, nil, .answered)
        default:
            (kind, retryAfter, delivery) = (.transient, nil, .mayHaveBeenProcessed)
        }
    }

    /// What a `NotAuthorized` of a service means. One with another reason is told, and ends no session: a mistake of the program
    /// (a service that waits for itself, plain `http`) signs nobody out.
    private static let kinds: [NotAuthorized.Reason: TokenFailureKind] = [
        .rejected: .terminal, .signedOut: .terminal, .clientRefused: .client, .needsInteraction: .interaction,
    ]

    /// A failure of the store, whatever it throws: nothing was sent, and no session ends.
    init(ofStore error: any Error) {
        (kind, retryAfter, delivery, self.error) = (.transient, nil, .notSent, error)
    }

    /// What callers get when the failure ends the session.
    var ending: NotAuthorized { (error as? NotAuthorized) ?? NotAuthorized(.rejected, underlying: error) }

    /// Whether it counts against the session, so that the store is read again before it is believed.
    var mayEndSession: Bool { kind == .terminal || kind == .noRefreshToken }

    /// Whether somebody has to do something before a try makes sense.
    var needsSomebody: Bool { kind == .client || kind == .interaction }

    /// Whether the server answered that it will not do it, so that it need not be asked again.
    var isRefusal: Bool { kind != .transient || (error as? TokenEndpointError)?.isRefusal == true }

    /// Whether the answer was lost, so that the server may have spent the refresh token. An error that has a meaning was an answer.
    var isLoss: Bool { delivery == .mayHaveBeenProcessed && kind == .transient }

    /// What callers get in place of a ``RefreshFailed``, if somebody has to do something.
    var notAuthorized: NotAuthorized? {
        if let error = error as? NotAuthorized { return error }
        let answer = error as? TokenEndpointError
        return switch kind {
        case .client: NotAuthorized(.clientRefused, detail: answer?.description, underlying: error)
        case .interaction: NotAuthorized(.needsInteraction, detail: answer?.answer, underlying: error)
        case .terminal, .noRefreshToken, .transient: nil
        }
    }
}

/// Two failures are equal if the state treats them alike; what the error says besides does not count.
extension RefreshFailure: Hashable {
    private var facts: [AnyHashable] { [kind, retryAfter, delivery, (error as? NotAuthorized)?.reason] }
    static func == (left: Self, right: Self) -> Bool { left.facts == right.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}
