// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The error when providers of an ``AuthorizationPool`` have not settled in time.
///
/// Wait longer, or let the program end and lose their tokens. If a rotated token is not stored, its user is signed out.
public struct ProvidersNotSettled<ID: Hashable & Sendable>: Error, Sendable {
    /// The unsettled providers by identity; never empty.
    public let unsettled: [ID: NotSettled]

    public init(unsettled: [ID: NotSettled]) { self.unsettled = unsettled }
}

extension ProvidersNotSettled: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains numbers, not identities: an identity may be the name of a user.
    public var description: String {
        let refreshing = unsettled.values.count { $0.isRefreshing }
        let unstored = unsettled.values.count { $0.isUnstored }
        return "\(unsettled.count) providers have not settled: a refresh or a revocation is under way for "
            + "\(refreshing), the store does not hold the result of \(unstored) yet; wait longer"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["count": unsettled.count]) }
}
