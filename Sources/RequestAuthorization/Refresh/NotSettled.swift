// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The error when a provider has not settled in time.
///
/// A refresh or a revocation is under way, or the store lacks the current token or a sign-out.
///
/// Wait longer, or let the program end and lose the token. If a rotated token is not stored, the user is signed out.
public struct NotSettled: Error, Sendable {
    /// Whether a refresh or a revocation is under way.
    public let isRefreshing: Bool
    /// Whether the store lacks the current token, or a sign-out.
    public let isUnstored: Bool
    /// The last error of the store, if any. The description shows its type only.
    public let storeError: (any Error)?

    public init(isRefreshing: Bool, isUnstored: Bool, storeError: (any Error)? = nil) {
        (self.isRefreshing, self.isUnstored, self.storeError) = (isRefreshing, isUnstored, storeError)
    }
}

extension NotSettled: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let states = [isRefreshing ? "a refresh or a revocation is under way" : nil, unstored].compactMap { $0 }
        return "the provider has not settled: " + states.joined(separator: ", and ") + "; wait longer"
    }

    private var unstored: String? {
        guard isUnstored else { return nil }
        return "the store does not hold the result yet" + (storeError.map { " (\(type(of: $0)))" } ?? "")
    }
}
