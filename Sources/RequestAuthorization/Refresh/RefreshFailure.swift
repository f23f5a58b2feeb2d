// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A failed refresh with the facts on which the state decides.
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

    /// The meaning of a `NotAuthorized` that a service throws. Other reasons are passed on and end no session: a
    /// mistake of the program, such as plain `http` or a service that waits for itself, signs no user out.
    private static let kinds: [NotAuthorized.Reason: TokenFailureKind] = [
        .rejected: .terminal, .signedOut: .terminal, .clientRefused: .client, .needsInteraction: .interaction,
    ]

    /// A failure of the store. Nothing was sent, and no session ends, whatever the error.
    init(ofStore error: any Error) { (kind, retryAfter, delivery, self.error) = (.transient, nil, .notSent, error) }

    /// The error for callers when the failure ends the session.
    var ending: NotAuthorized { (error as? NotAuthorized) ?? NotAuthorized(.rejected, underlying: error) }

    /// Whether the failure may end the session; the store is read again first.
    var mayEndSession: Bool { kind == .terminal || kind == .noRefreshToken }

    /// Whether exclusive access to the store was lost before anything was sent.
    var isWithoutAccess: Bool { error is TokenStoreAccessTooShort }

    /// Whether the user or an operator must act before another try makes sense.
    var needsAction: Bool { kind == .client || kind == .interaction }

    /// Whether the server has refused, so that another try is pointless.
    ///
    /// An answer without an error code is no refusal: a proxy or the log-in page of a network may have sent it.
    var isRefusal: Bool {
        if kind != .transient { return true }
        guard let error = error as? TokenEndpointError, error.code != nil else { return false }
        return error.isRefusal
    }

    /// Whether the answer was lost, so that the server may have spent the refresh token. A known error is an answer.
    var isLoss: Bool { delivery == .mayHaveBeenProcessed && kind == .transient }

    /// The error for callers in place of a ``RefreshFailed``, if the user or an operator must act.
    var notAuthorized: NotAuthorized? {
        if let error = error as? NotAuthorized { return error }
        let answer = error as? TokenEndpointError
        return switch kind {
        case .client: NotAuthorized(.clientRefused, detail: answer?.descriptionInSession, underlying: error)
        case .interaction: NotAuthorized(.needsInteraction, detail: answer?.answer, underlying: error)
        case .terminal, .noRefreshToken, .transient: nil
        }
    }
}

/// Failures are equal if the state treats them alike. Other details of the error do not count.
extension RefreshFailure: Hashable {
    private var facts: [AnyHashable] {
        [kind, retryAfter, delivery, (error as? NotAuthorized)?.reason, isWithoutAccess]
    }
    static func == (left: Self, right: Self) -> Bool { left.facts == right.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}
