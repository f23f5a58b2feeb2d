// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RefreshState {
    /// What is to be done once the state has been stored, in this order.
    enum Action {
        /// Give these the token or the error, in order.
        case resume([Waiter], Result<HeldToken<Token>, any Error>)
        /// Keep the token or the error for these until their tasks have been suspended.
        case keep([WaiterQueue<Waiter>.ID], Result<HeldToken<Token>, any Error>)
        /// Begin the ordinary refresh with its first step.
        case fly(Flight)
        /// Nobody waits for this service call any longer: cancel it.
        case cancel(FlightID)
        /// Bring ``RefreshState/unsaved`` to the store.
        case write
        /// Give up the exclusive access that was kept for an unsaved token.
        case unlock
        /// Tell the observers.
        case announce(TokenChange<Token>)
        /// Tell the listeners.
        case emit(AuthorizationEvent)
        /// A token that came too late: let the service revoke it.
        case discard(Token)

        /// Whether a refresh is said to have begun.
        var isStart: Bool { if case .emit(let event) = self { event.kind == .refreshStarted } else { false } }
    }

    /// The ordinary refresh: it loads, refreshes and saves, one step at a time.
    struct Flight {
        let id: FlightID
        /// A result for another session is dropped.
        var session: UUID
        /// The token that it replaces.
        var basis: TokenVersion?
        var step: Step
        /// The deadline has passed: nobody waits for it any longer.
        var isDraining = false
        /// The hard limit has passed: another flight may be under way.
        var isStray = false
        /// It has exclusive access to a shared store.
        var hasLock = false
        /// It has left an intent in a shared store.
        var hasIntent = false
        /// What comes after the intent has been cleared.
        var verdict: Verdict?
        /// Something else was saved while it was saving, and may stand in the store instead.
        var isContested = false

        /// The token that it has brought and that is not in use yet.
        var cargo: HeldToken<Token>? {
            if case .save(let held, _) = step { return held }
            if case .publish(let held) = verdict { return held }
            return nil
        }
    }

    /// What a flight does next.
    enum Step {
        /// Read the store for the first time.
        case load
        /// Get exclusive access to the shared store.
        case lock
        /// Read it again: a sibling may have left a newer token.
        case reread
        /// Leave an intent.
        case intent(RefreshIntent)
        /// Ask the service for a successor.
        case refresh(Token)
        /// Ask the service for a first token.
        case initial
        /// Read the store again before the failure is believed.
        case verify(RefreshFailure)
        case save(HeldToken<Token>, replacing: TokenSaveCondition)
        /// Remove the intent.
        case clearIntent

        /// Whether the service has not been called yet.
        var isBeforeService: Bool {
            switch self {
            case .load, .lock, .reread, .intent: true
            case .refresh, .initial, .verify, .save, .clearIntent: false
            }
        }

        /// Whether it does more than to bring home what there is.
        var beginsSomething: Bool {
            switch self {
            case .load, .lock, .reread, .intent, .refresh, .initial: true
            case .verify, .save, .clearIntent: false
            }
        }
    }

    /// How a flight ends.
    enum Verdict {
        case publish(HeldToken<Token>)
        case fail(RefreshFailure)
    }

    /// What a step brought.
    enum Outcome {
        case done
        case loaded(StoredToken<Token>?, RefreshIntent?)
        case token(Token, requestedAt: Date)
        case saved(TokenSaveConflict<Token>?)
        case failed(RefreshFailure)
    }

    /// A refresh by hand or a sign-in.
    struct Manual {
        let id: FlightID
        /// Who awaits the outcome; `nil` if nobody does.
        var waiter: Waiter?
        /// Requests wait for it, until its deadline.
        var isHolding = true
        /// What it brought, while that is being saved.
        var pending: HeldToken<Token>?
        /// Something else was saved meanwhile, and may stand in the store instead.
        var isContested = false
    }

    /// What a store is to hold.
    enum Content {
        case save(StoredToken<Token>, replacing: TokenSaveCondition)
        case clear

        var replacesAnything: Bool { if case .save(_, .anything) = self { true } else { false } }
    }

    /// Content on its way to the store.
    struct Unsaved {
        var content: Content
        /// Tells a content from one that replaced it while it was being written.
        var number: Int
        var isWriting = false
        var backOff = BackOff()
        /// Exclusive access and an intent are kept until it is saved.
        var keepsLock = false
    }
}

extension RefreshState.Action: Sendable where Waiter: Sendable {}
extension RefreshState.Step: Equatable where Token: Equatable {}
extension RefreshState.Step: Hashable where Token: Hashable {}
extension RefreshState.Verdict: Equatable where Token: Equatable {}
extension RefreshState.Verdict: Hashable where Token: Hashable {}
extension RefreshState.Flight: Equatable where Token: Equatable {}
extension RefreshState.Flight: Hashable where Token: Hashable {}
extension RefreshState.Manual: Equatable where Token: Equatable, Waiter: Equatable {}
extension RefreshState.Manual: Hashable where Token: Hashable, Waiter: Hashable {}
extension RefreshState.Content: Equatable where Token: Equatable {}
extension RefreshState.Content: Hashable where Token: Hashable {}
extension RefreshState.Unsaved: Equatable where Token: Equatable {}
extension RefreshState.Unsaved: Hashable where Token: Hashable {}
