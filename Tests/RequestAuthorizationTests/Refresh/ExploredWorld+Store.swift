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
            guard let job = change({ state, _ in state.vault.begin() }) else { return }
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
            if case .saved = landing(of: job, .ok) { _ = change { state, _ in state.vault.endLate(job) } }
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

    private mutating func landing(of job: Vault.Job, _ answer: Answer) -> Vault.Written {
        if case .after(let act) = answer {
            actOfSibling(act)
            return landing(of: job, .ok)
        }
        if answer == .notSent || answer == .givenUp { return .failed(ExploredFailure()) }
        let item: StoredItem?
        switch job.content {
        case .nothing: item = nil
        case .token(let held, let condition):
            let new = StoredItem(held)
            if state.vault.kind == .shared, !condition.allows(new, over: stored, absence: absence) {
                return .refused(stored?.copy)
            }
            let isBack = removed.contains(held.version.session) && state.vault.kind == .shared
            demand(!isBack || condition == .anything, "a removed session comes back")
            item = new
        case .tombstone(let version, let obtainedAt, let condition):
            let new = StoredItem(content: .signedOut, version: version, obtainedAt: obtainedAt)
            if !condition.allows(new, over: stored, absence: absence) { return .refused(stored?.copy) }
            item = new
        }
        (stored, absence, isStoreOurs) = (item, .gone, true)
        if answer == .overdue { return .failed(ExploredFailure()) }
        if job.ends != nil { endIntent() }
        return .saved
    }

    // MARK: Programs

    mutating func program(_ event: Event) {
        switch event {
        case .discarded:
            discards -= 1
            change { state, _ in state.leftovers.endRevocation() }
        case .stopBackground: change { state, _ in state.stopBackgroundRefresh() }
        case .shutDown: change { $0.shutDown(&$1) }
        default: change { $0.giveUpWriting(&$1) }
        }
    }
}

extension Vault.Job {
    var token: HeldToken? { content.token }
}
