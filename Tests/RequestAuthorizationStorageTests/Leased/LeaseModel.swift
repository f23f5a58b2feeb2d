// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

@testable import RequestAuthorizationStorage

/// Two hosts that refresh one token by `LeaseRules`, in ticks of a second.
///
/// A call that counts time is asked, made and answered, and anything may happen in between. A read is made and answered.
/// A compare-and-set that is decided again whenever it fails is one moment, as the database sees it.
struct LeaseModel: Hashable {
    /// A rule that is broken, to prove that it is needed.
    enum Break: String, CaseIterable, Sendable {
        case watchesFromTheAsk, countsFromTheAnswer, announcesWithoutLease, ignoresFailedIntents
        case savesEqualOverEqual, savesWithoutCompare
    }

    /// What must never happen.
    enum Violation: String, Error {
        case twoHaveAccess = "two hosts have access at once"
        case intentIsStale = "an intent was written for a token whose successor is stored"
        case sentWithoutIntent = "a token was sent without its intent"
        case versionNamesTwo = "one version names two tokens"
        case generationFell = "an older token was saved over a newer one"
    }

    enum Phase: Hashable { case idle, watching, leasing, announcing, ready, sent, saving }

    struct Call: Hashable {
        enum Kind: Hashable {
            case read
            case lease(LeasedRecord, by: LeasedRecord)
            case announce, renew
            /// Without a compare, for a broken rule.
            case overwrite(LeasedRecord)
        }
        enum Answer: Hashable {
            /// The record, and how long it had been unchanged if the database tells it.
            case record(LeasedRecord, Int?)
            case isDone(Bool)
        }

        let kind: Kind
        let askedAt: Int
        var answer: Answer?
    }

    struct Host: Hashable {
        var rules = LeaseRules(length: .seconds(3))
        var phase = Phase.idle
        /// The generation and the number of the token that the host uses.
        var token = Data([0, 1])
        var newToken: UInt8?
        var call: Call?
        var beat: Call?
        /// The item for which an intent was written.
        var announced: Data?
        var refreshes: Int
        var beats = 1
        var leases: UInt8 = 0
    }

    static let deadline = Duration.seconds(1)

    var now = 0
    var record = LeasedRecord(place: nil)
    var changedAt = 0
    var hosts: [Host]
    /// The token of each generation.
    var versions: [UInt8] = [1]
    var tokens: UInt8 = 1

    init(refreshes: [Int]) {
        hosts = refreshes.map { Host(refreshes: $0) }
        record.item = Data([0, 1])
        record.status = .token
    }
}

/// The steps of the hosts.
struct LeaseSteps {
    var broken: LeaseModel.Break?
    var ticks = 9
    /// Whether the database tells how long a record has been unchanged.
    var hasClock = false

    private typealias Model = LeaseModel

    /// All states that may follow, and what goes wrong on the way to others.
    func successors(of state: LeaseModel) -> [Result<LeaseModel, LeaseModel.Violation>] {
        var next: [Result<LeaseModel, LeaseModel.Violation>] = []
        if state.now < ticks {
            var later = state
            later.now += 1
            next.append(.success(later))
        }
        for index in state.hosts.indices {
            for isBeat in [false, true] {
                var changed = state
                do throws(LeaseModel.Violation) {
                    let isDone = try isBeat ? stepOfBeat(index, &changed) : stepOfHost(index, &changed)
                    if isDone { next.append(checked(changed)) }
                } catch {
                    next.append(.failure(error))
                }
            }
        }
        return next
    }

    private func checked(_ state: LeaseModel) -> Result<LeaseModel, LeaseModel.Violation> {
        let now = Duration.seconds(state.now)
        let holders = state.hosts.count { $0.rules.counts(at: now) }
        return holders > 1 ? .failure(.twoHaveAccess) : .success(state)
    }

    // MARK: - The database

    /// Makes a call that was asked.
    private func make(_ call: Model.Call, of index: Int, in state: inout Model) throws(LeaseModel.Violation)
        -> Model.Call
    {
        var call = call
        let rules = state.hosts[index].rules
        var new: LeasedRecord?
        switch call.kind {
        case .read:
            call.answer = .record(state.record, hasClock ? state.now - state.changedAt : nil)
            return call
        case .lease(let old, let leased): new = state.record == old ? leased : nil
        case .announce: new = announced(by: state.hosts[index], in: state.record)
        case .renew: new = rules.renewing(state.record)
        case .overwrite(let record): new = record
        }
        call.answer = .isDone(new != nil)
        if let new { try write(new, in: &state) }
        return call
    }

    /// Step 5.
    private func announced(by host: Model.Host, in record: LeasedRecord) -> LeasedRecord? {
        if broken == .announcesWithoutLease, record.holder == nil {
            var record = record
            record.intent = host.token
            return record
        }
        guard case .write(let new) = host.rules.announcing(host.token, for: host.token, in: record) else { return nil }
        return new
    }

    private func write(_ new: LeasedRecord, in state: inout Model) throws(LeaseModel.Violation) {
        let old = state.record
        if let intent = new.intent, intent != old.intent, intent != new.item { throw Model.Violation.intentIsStale }
        if let item = new.item, item != old.item, let before = old.item {
            let generation = Int(item[0])
            if item[0] < before[0] { throw Model.Violation.generationFell }
            if generation < state.versions.count, state.versions[generation] != item[1] {
                throw Model.Violation.versionNamesTwo
            }
            while state.versions.count <= generation { state.versions.append(0) }
            state.versions[generation] = item[1]
        }
        (state.record, state.changedAt) = (new, hasClock ? state.now : 0)
    }

    // MARK: - A host

    private func stepOfHost(_ index: Int, _ state: inout Model) throws(LeaseModel.Violation) -> Bool {
        if let call = state.hosts[index].call {
            guard let answer = call.answer else {
                state.hosts[index].call = try make(call, of: index, in: &state)
                return true
            }
            state.hosts[index].call = nil
            try take(answer, of: call, index, &state)
            return true
        }
        let now = Duration.seconds(state.now)
        switch state.hosts[index].phase {
        case .idle:
            guard state.hosts[index].refreshes > 0 else { return false }
            ask(.read, .watching, index, &state)
            if broken != .watchesFromTheAsk { return try stepOfHost(index, &state) }
        case .ready:
            let remaining = state.hosts[index].rules.remaining(at: now)
            guard remaining >= Model.deadline + .seconds(1) || broken == .ignoresFailedIntents else {
                try finish(index, &state)
                return true
            }
            if state.hosts[index].announced != state.hosts[index].token { throw Model.Violation.sentWithoutIntent }
            state.hosts[index].phase = .sent
        case .sent:
            state.tokens += 1
            state.hosts[index].newToken = state.tokens
            try save(index, &state)
        default: return false
        }
        return true
    }

    private func take(_ answer: Model.Call.Answer, of call: Model.Call, _ index: Int, _ state: inout Model)
        throws(LeaseModel.Violation)
    {
        let now = Duration.seconds(state.now)
        let askedAt = Duration.seconds(broken == .countsFromTheAnswer ? state.now : call.askedAt)
        switch (call.kind, answer) {
        case (.read, .record(let record, let age)):
            let watchedAt = broken == .watchesFromTheAsk ? Duration.seconds(call.askedAt) : now
            state.hosts[index].rules.watch(record, answeredAt: watchedAt)
            try lease(record, age.map { .seconds($0) }, index, &state)
        case (.lease(_, let leased), .isDone(true)):
            guard let id = leased.holder else { return }
            state.hosts[index].rules.granted(id, askedAt: askedAt)
            ask(.announce, .announcing, index, &state)
        case (.lease, _): state.hosts[index].phase = .idle
        case (.announce, .isDone(true)):
            if let id = state.hosts[index].rules.id { state.hosts[index].rules.announced(id, askedAt: askedAt) }
            (state.hosts[index].announced, state.hosts[index].phase) = (state.hosts[index].token, .ready)
        case (.announce, _):
            if broken == .ignoresFailedIntents { return state.hosts[index].phase = .ready }
            state.hosts[index].rules.end()
            try finish(index, &state)
        default: try finish(index, &state)
        }
    }

    /// Steps 2 and 3.
    private func lease(_ record: LeasedRecord, _ age: Duration?, _ index: Int, _ state: inout Model) throws(LeaseModel
        .Violation)
    {
        if let item = record.item, item[0] > state.hosts[index].token[0] { return try finish(index, &state) }
        let number = state.hosts[index].leases + 1
        let id = UUID(uuid: (UInt8(index), number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let now = Duration.seconds(state.now)
        guard let leased = state.hosts[index].rules.leasing(record, as: id, at: now, unchangedFor: age) else {
            return state.hosts[index].phase = .idle
        }
        state.hosts[index].leases = number
        ask(.lease(record, by: leased), .leasing, index, &state)
    }

    /// Step 7.
    private func save(_ index: Int, _ state: inout Model) throws(LeaseModel.Violation) {
        let host = state.hosts[index]
        guard let item = state.record.item, let token = host.newToken else { return }
        let session = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let isHolder = host.rules.isHolder(in: state.record)
        var generation = LeaseRules.generation(
            for: TokenVersion(session: session, generation: Int(host.token[0]) + 1),
            over: TokenVersion(session: session, generation: Int(item[0])), isHolder: isHolder)
        if broken == .savesEqualOverEqual, item[0] == host.token[0] + 1 { generation = Int(item[0]) }
        guard let generation else { return try finish(index, &state) }
        var new = state.record
        new.item = Data([UInt8(generation), token])
        if new.intent == host.announced { (new.intent, new.intentLease) = (nil, nil) }
        if isHolder { new.holder = nil }
        if broken == .savesWithoutCompare { return ask(.overwrite(new), .saving, index, &state) }
        try write(new, in: &state)
        try finish(index, &state)
    }

    /// Step 8, and the end of a refresh: the host uses what is stored.
    private func finish(_ index: Int, _ state: inout Model) throws(LeaseModel.Violation) {
        if let id = state.hosts[index].rules.id {
            if let record = LeaseRules.releasing(state.record, of: id) { try write(record, in: &state) }
            state.hosts[index].rules.released(id)
        }
        if let item = state.record.item, item[0] > state.hosts[index].token[0] { state.hosts[index].token = item }
        state.hosts[index].phase = .idle
        (state.hosts[index].announced, state.hosts[index].newToken, state.hosts[index].beat) = (nil, nil, nil)
        state.hosts[index].refreshes -= 1
        guard state.hosts[index].refreshes == 0 else { return }
        // What the host does not use any more makes no other state.
        state.hosts[index] = Model.Host(refreshes: 0, beats: 0)
    }

    private func ask(_ kind: Model.Call.Kind, _ phase: Model.Phase, _ index: Int, _ state: inout Model) {
        // When a read was asked for matters only to a broken rule.
        let isTimed = kind != .read || broken == .watchesFromTheAsk
        state.hosts[index].call = Model.Call(kind: kind, askedAt: isTimed ? state.now : 0)
        state.hosts[index].phase = phase
    }

    // MARK: - Step 4

    private func stepOfBeat(_ index: Int, _ state: inout Model) throws(LeaseModel.Violation) -> Bool {
        guard let call = state.hosts[index].beat else {
            // The lease is renewed while the request is under way.
            guard state.hosts[index].phase == .sent, state.hosts[index].beats > 0 else { return false }
            state.hosts[index].beats -= 1
            state.hosts[index].beat = Model.Call(kind: .renew, askedAt: state.now)
            return true
        }
        guard let answer = call.answer else {
            state.hosts[index].beat = try make(call, of: index, in: &state)
            return true
        }
        state.hosts[index].beat = nil
        let time = broken == .countsFromTheAnswer ? state.now : call.askedAt
        if case .isDone(true) = answer, let id = state.hosts[index].rules.id {
            state.hosts[index].rules.renewed(id, askedAt: .seconds(time))
        } else {
            state.hosts[index].rules.end()
        }
        return true
    }
}
