// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The steps of one refresh: load, lock, read again, write the intent, call the service, verify.
///
/// It never calls the service with a shared store that it has not read under the lock, and begins nothing after its
/// deadline. It decides nothing about sessions. Tests explore all of its states.
struct Exchange: Hashable {
    enum Step: Hashable {
        /// Read the store for the first time, or a read-only one.
        case load
        /// Get exclusive access to the shared store.
        case lock
        /// Read the store again: a sibling may have saved a newer token.
        case reread
        case intent(RefreshIntent)
        /// Ask the service for a successor.
        case refresh(HeldToken)
        /// Ask the service for a first token.
        case initial
        /// Read the store again before a failure ends the session, or after access was lost.
        case verify(RefreshFailure)
    }

    enum Outcome {
        case done
        case loaded(StoredItem?, RefreshIntent?, TokenAbsence = .gone)
        case token(HeldToken)
        case failed(RefreshFailure)
    }

    /// What the store holds, compared with what the provider holds.
    enum Reading: Hashable {
        case news(StoredItem)
        case nothingNew
        /// The session was removed.
        case gone
    }

    /// What the provider does next.
    enum Move {
        case perform(Step)
        /// Adopt what the store holds, and call ``adopted(_:isServed:at:)``.
        case adopt(StoredItem)
        /// No refresh is needed any more.
        case finish
        /// The session was removed from the store.
        case gone
        case use(HeldToken)
        case fail(RefreshFailure)
        /// The session may be over.
        case judge(RefreshFailure)
        /// The deadline has passed, and this step does not begin.
        case stop(Step)
    }

    let kind: Vault.Kind
    private(set) var step: Step
    /// The token that is replaced. If the provider has another one by then, the result is dropped.
    private(set) var held: HeldToken?
    /// The intent that the store held when it was read last.
    private(set) var intent: RefreshIntent?
    /// The deadline has passed.
    private(set) var isOverdue = false

    var basis: TokenVersion? { held?.version }
    /// Whether the answer to an earlier call for this token was lost.
    var isAfterLoss: Bool { intent?.isOf(basis) ?? false }

    /// - Parameters:
    ///   - held: the token to replace, if one is held.
    ///   - isKnown: whether the store has been read.
    ///   - hasAccess: whether exclusive access is at hand.
    init(_ kind: Vault.Kind, replacing held: HeldToken?, isKnown: Bool, hasAccess: Bool) {
        (self.kind, self.held, step) = (kind, held, .load)
        if isKnown { step = hasAccess && kind == .shared ? .reread : first }
    }

    // MARK: Steps

    /// Ends a step that does not read the store.
    ///
    /// - Parameter verifies: whether the store is read again before a failure ends the session.
    mutating func end(_ outcome: Outcome, verifies: Bool) -> Move {
        switch (step, outcome) {
        case (.load, .failed(let failure)), (.lock, .failed(let failure)), (.reread, .failed(let failure)),
            (.verify, .failed(let failure)):
            // An unreachable store is not an empty store, and ends no session.
            return .fail(RefreshFailure(ofStore: failure.error))
        case (.lock, _): return next(.reread)
        // It goes on without the intent: the lock is held, and a full disk must not end the session.
        case (.intent, _): return next(call)
        case (_, .token(let held)): return .use(held)
        case (.refresh, .failed(let failure)) where failure.mayEndSession:
            return verifies ? next(.verify(failure)) : .judge(failure)
        // Without access nothing was sent, and usually a sibling has saved a newer token meanwhile.
        case (.refresh, .failed(let failure)) where failure.isWithoutAccess && verifies: return next(.verify(failure))
        case (_, .failed(let failure)): return .fail(failure)
        case (_, .done), (_, .loaded): preconditionFailure("a step of a refresh returned the result of another step")
        }
    }

    /// Ends a step that has read the store.
    mutating func read(_ reading: Reading, _ intent: RefreshIntent?, at date: Date) -> Move {
        self.intent = intent
        return switch (step, reading) {
        case (.load, .nothingNew), (.load, .gone): next(first)
        case (_, .gone): .gone
        case (_, .news(let item)): .adopt(item)
        case (.verify(let failure), .nothingNew): failure.mayEndSession ? .judge(failure) : .fail(failure)
        case (_, .nothingNew): next(announcedCall(at: date))
        }
    }

    /// Goes on with what the store held.
    ///
    /// - Parameter isServed: whether no refresh is needed now.
    mutating func adopted(_ held: HeldToken?, isServed: Bool, at date: Date) -> Move {
        self.held = held
        if isServed { return .finish }
        return next(step == .load ? first : announcedCall(at: date))
    }

    mutating func passDeadline() { isOverdue = true }

    // MARK: -

    private mutating func next(_ step: Step) -> Move {
        // A failure is still verified.
        if case .verify = step {} else if isOverdue { return .stop(step) }
        self.step = step
        return .perform(step)
    }

    /// The step that precedes a call of the service, or the call. With a read-only store it takes the place of the call.
    private var first: Step {
        switch kind {
        case .none, .plain: call
        case .shared: .lock
        case .readOnly: .load
        }
    }

    private var call: Step { held.map { .refresh($0) } ?? .initial }

    /// The call; with a shared store the intent comes first.
    private func announcedCall(at date: Date) -> Step {
        guard kind == .shared, let basis else { return call }
        return .intent(RefreshIntent(session: basis.session, generation: basis.generation, beganAt: date))
    }
}

extension RefreshIntent {
    /// Whether it is the one of a refresh of this token.
    func isOf(_ version: TokenVersion?) -> Bool { session == version?.session && generation == version?.generation }
}
