// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Providers of an ``AuthorizationPool`` had not settled when the time was over.
///
/// Wait longer, or let the program end and lose it: a rotated token that was not stored signs its user out.
public struct ProvidersNotSettled<ID: Hashable & Sendable>: Error, Sendable {
    /// What was under way or unstored, by identity; never empty.
    public let unsettled: [ID: NotSettled]

    public init(unsettled: [ID: NotSettled]) { self.unsettled = unsettled }
}

extension ProvidersNotSettled: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says how many, and not whose: an identity may be the name of a person.
    public var description: String {
        let refreshing = unsettled.values.count { $0.isRefreshing }
        let unstored = unsettled.values.count { $0.isUnstored }
        return "\(unsettled.count) providers have not settled: a refresh is under way for \(refreshing), "
            + "the store does not hold the outcome of \(unstored); wait longer"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["count": unsettled.count]) }
}
