// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Verdict {
    private struct Change {
        var value: Int?
        var over: Int?
        let process: Int
        let began: Int64
        /// When it was made. `nil` if nobody knows whether it was.
        var madeAt: Int64?
        /// When it returned to its caller.
        var endedAt: Int64?
        /// When it makes no difference any more.
        var overAt = Int64.max
    }

    /// The shared item is one value: a read finds the last one, and only one change replaces each of them.
    ///
    /// A power failure loses no change that has been made.
    mutating func judgeItem() {
        var changes: [Int: Change] = [:]
        var reads: [Int: Int64] = [:]
        /// The change that has replaced a value.
        var successors: [Int: Int] = [:]
        for fact in facts {
            switch fact.event {
            case .itemChangeBegan(let change, let process, let value, let over):
                changes[change] = Change(value: value, over: over, process: process, began: fact.time)
            case .itemChangeEnded(let change, let isMade):
                // A call of the database that has failed may still arrive.
                if isMade || setting.store == .files { changes[change]?.overAt = fact.time }
                changes[change]?.endedAt = fact.time
                guard isMade else { continue }
                changes[change]?.madeAt = fact.time
                guard let over = changes[change]?.over, let other = successors.updateValue(change, forKey: over),
                    !mayBeThereTwice(over, changes.values, after: changes[other])
                else { continue }
                complain(.itemLost, "the changes \(other) and \(change) have both replaced \(over)", at: fact.time)
            case .killed(let process) where setting.store == .files:
                for (number, change) in changes where change.process == process && change.overAt == Int64.max {
                    changes[number]?.overAt = fact.time
                }
            case .itemReadBegan(let read, _): reads[read] = fact.time
            case .itemRead(let read, let value):
                guard let began = reads[read], !mayBe(value, changes.values, from: began, to: fact.time) else {
                    continue
                }
                let text = value.map { $0 < 0 ? "a damaged item" : "\($0)" } ?? "nothing"
                complain(.itemLost, "a read found \(text), which was not the last value", at: fact.time)
            default: break
            }
        }
    }

    /// Whether a value may have come back after a change that has replaced it.
    ///
    /// If a save gets no answer of the database and finds another record, it does not know whether that one has replaced
    /// its value, and saves again. That is so for an unconditional save only, and not once it has returned.
    private func mayBeThereTwice(_ value: Int, _ changes: some Collection<Change>, after other: Change?) -> Bool {
        guard setting.store == .leased, let other else { return false }
        return changes.contains {
            $0.value == value && $0.over == nil && $0.endedAt ?? Int64.max > other.began
                && history.hasTrouble(.database, $0.began, other.endedAt ?? other.began)
        }
    }

    private func mayBe(_ value: Int?, _ changes: some Collection<Change>, from: Int64, to: Int64) -> Bool {
        /// The last change that was made before the read began.
        let last = changes.filter { $0.madeAt.map { $0 < from } ?? false }.map(\.began).max() ?? -1
        if value == nil, last < 0 { return true }
        return changes.contains { $0.value == value && $0.began <= to && $0.overAt >= last }
    }
}
