// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Refreshes by hand and sign-ins. The one that was begun last and succeeds wins.
extension RefreshState {
    /// A manual refresh begins: requests are held.
    ///
    /// - Parameter waiter: who awaits the outcome, if anybody does.
    /// - Returns: an error if the server has said when it wants to be called again, and that is later.
    mutating func beginManual(_ id: FlightID, waiter: Waiter?, at now: Moment) -> (any Error)? {
        if backOff.isOrdered, !backOff.isOpen(at: now), let failure { return error(for: failure, at: now) }
        manuals.append(Manual(id: id, waiter: waiter))
        return nil
    }

    /// A manual refresh brought a token; it begins a session of its own.
    ///
    /// - Returns: the token to be saved, if it still counts and there is a store.
    mutating func manualSucceeded(
        _ id: FlightID, _ token: Token, requestedAt: Date, newSession: UUID, at now: Moment, random: Double
    ) -> (save: StoredToken<Token>?, [Action]) {
        guard let index = manuals.firstIndex(where: { $0.id == id }) else {
            return (nil, [.discard(token), .emit(.tokenDiscarded)])
        }
        let version = TokenVersion(session: newSession, generation: 0)
        let held = HeldToken(token, version: version, obtainedAt: requestedAt, policy: policy, random: random)
        if let fault = held.fault { return (nil, late(token) + manualFailed(id, fault, at: now)) }
        manuals[index].pending = held
        if !isKept { return (nil, manualSaved(id, error: nil, at: now, random: random)) }
        return (held.stored, [])
    }

    /// The token of a manual refresh is durable, or could not be saved and goes out all the same.
    mutating func manualSaved(_ id: FlightID, error: (any Error)?, at now: Moment, random: Double) -> [Action] {
        guard let index = manuals.firstIndex(where: { $0.id == id }), let held = manuals[index].pending else {
            return []
        }
        let manual = manuals.remove(at: index)
        let superseded = Array(manuals[..<index])
        manuals.removeSubrange(..<index)
        let isContested =
            manual.isContested || (superseded.compactMap { $0.pending } + flights.compactMap { $0.cargo }).count > 0
        var actions = leaveFlight() + leave(superseded, error: CancellationError())
        storm = []
        session = held.version.session
        if let error {
            actions += couldNotSave(
                held.stored, replacing: .anything, keepsLock: false, error: error, at: now, random: random)
        } else if isContested {
            actions += store(.save(held.stored, replacing: .anything))
        } else {
            actions += wasSaved(held.stored, replacing: .anything)
        }
        contest()
        if let waiter = manual.waiter { actions.append(.resume([waiter], .success(held))) }
        return actions + publish(held, at: now)
    }

    /// A manual refresh failed: everything is as it was, and those who waited go on with what there is.
    mutating func manualFailed(_ id: FlightID, _ error: any Error, at now: Moment) -> [Action] {
        guard let index = manuals.firstIndex(where: { $0.id == id }) else { return [] }
        let manual = manuals.remove(at: index)
        let told: [Action] =
            manual.waiter.map { [.resume([$0], .failure(error))] } ?? [.emit(.refreshFailed(error, nextTryAt: nil))]
        return told + releaseWaiters(at: now)
    }

    /// Whoever awaits the manual refresh was cancelled: too late, if there is a token by now.
    mutating func cancelManual(_ id: FlightID, at now: Moment) -> [Action] {
        if manuals.contains(where: { $0.id == id && $0.pending != nil }) { return [] }
        return manualFailed(id, CancellationError(), at: now) + [.cancel(id)]
    }

    /// Requests have waited for a manual refresh as long as they may; it goes on without them.
    mutating func manualDeadlinePassed(_ id: FlightID, at now: Moment) -> [Action] {
        guard let index = manuals.firstIndex(where: { $0.id == id }) else { return [] }
        manuals[index].isHolding = false
        return releaseWaiters(at: now)
    }

    // MARK: -

    /// These do not count any more.
    mutating func leave(_ manuals: [Manual], error: any Error) -> [Action] {
        manuals.flatMap { manual -> [Action] in
            [.cancel(manual.id)] + (manual.waiter.map { [.resume([$0], .failure(error))] } ?? [])
                + (manual.pending.map { late($0.token) } ?? [])
        }
    }
}
