// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

// The writer, and programs that end.
extension ExploredWorld {
    mutating func write(_ event: Event) {
        switch event {
        case .beginWrite:
            isWriteDue = false
            guard let job = change({ state, _ in state.beginWrite() }) else { return }
            demand(writing == nil, "two writes at a time")
            writing = Writing(job: job)
        case .landWrite(let answer):
            guard let job = writing?.job else { return }
            let landed = landing(of: job, answer)
            writing?.landed = landed
        case .endWrite(let answer): endWrite(answer)
        default:
            guard let job = lateWrite else { return }
            lateWrite = nil
            _ = landing(of: job, .ok)
        }
    }

    private mutating func endWrite(_ answer: Answer) {
        guard let (job, landed) = writing.map({ ($0.job, $0.landed) }) else { return }
        writing = nil
        let result = landed ?? landing(of: job, answer)
        if answer == .givenUp { lateWrite = job }
        if let number = job.token?.number { tried.append(number) }
        if change({ $0.endWrite(job, result, &$1) }) { isWriteDue = true }
    }

    private mutating func landing(of job: State.WriterJob, _ answer: Answer) -> State.Written {
        if case .after(let act) = answer {
            actOfSibling(act)
            return landing(of: job, .ok)
        }
        if answer == .notSent || answer == .givenUp { return .failed(ExploredFailure()) }
        var item: StoredItem?
        switch job.content {
        case .clear: item = nil
        case .save(let held, let condition):
            if state.storage == .shared, !condition.allows(stored, absence: absence) { return .refused(stored?.copy) }
            let isBack = removed.contains(held.version.session) && state.storage == .shared
            demand(!isBack || condition == .anything, "a removed session comes back")
            item = StoredItem(held)
        case .signOut(let version, let obtainedAt, let condition):
            if !condition.allows(stored, absence: absence) { return .refused(stored?.copy) }
            item = StoredItem(content: .signedOut, version: version, obtainedAt: obtainedAt)
        }
        (stored, absence, isStoreOurs) = (item, .gone, true)
        if answer == .overdue { return .failed(ExploredFailure()) }
        if job.ends != nil { endIntent() }
        return .saved
    }

    // MARK: Programs

    mutating func program(_ event: Event) {
        switch event {
        case .settle: settle(acceptsFailure: false) { $0.settle() }
        case .settleStore: settle(acceptsFailure: true) { $0.settleStore() }
        case .giveUpSettling(let index):
            let number = settlers.remove(at: index).number
            let error = change { state, _ in state.unsettled(number) }
            demand(
                error.map { $0.isRefreshing || $0.isUnstored } ?? false, "a caller has waited for nothing")
        case .discarded(let index):
            let number = discards.remove(at: index)
            change { state, _ in state.discarded(number) }
        case .stopBackground: change { state, _ in state.stopBackgroundRefresh() }
        case .shutDown: change { $0.shutDown(&$1) }
        default: change { $0.giveUpWriting(&$1) }
        }
    }

    private mutating func settle(acceptsFailure: Bool, _ begin: (inout State) -> Int) {
        let expected = state.lastNumber + 1
        settlers.append(
            Settler(
                number: expected, flights: acceptsFailure ? [] : state.flights.map(\.id),
                discards: acceptsFailure ? [] : discards, acceptsFailure: acceptsFailure, limit: state.lastNumber))
        let number = change { state, _ in begin(&state) }
        demand(number == expected, "a caller that waits has another's number")
    }

    /// The results of flights that were under way belong to what the caller waits for.
    mutating func noteSettlers() {
        for index in settlers.indices where !isOver(settlers[index]) { settlers[index].limit = state.lastNumber }
        isFlying = state.flights.map(\.id)
    }

    private func isOver(_ settler: Settler) -> Bool { !settler.flights.contains(where: isFlying.contains) }

    /// Whether work is under way for which the caller waits.
    func isPending(_ settler: Settler) -> Bool {
        if settler.flights.contains(where: { id in state.flights.contains { $0.id == id } }) { return true }
        if settler.discards.contains(where: discards.contains) { return true }
        guard let desired = state.desired, desired.number <= settler.limit else { return false }
        return !settler.acceptsFailure || (desired.error == nil && (!state.isClosed || desired.isWriting))
    }
}

extension RefreshState.WriterJob {
    var token: HeldToken? { if case .save(let held, _) = content { held } else { nil } }
}
