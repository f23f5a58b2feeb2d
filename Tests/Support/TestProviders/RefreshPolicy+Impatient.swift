// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

extension RefreshPolicy {
    /// The default policy, with which no request waits for the next slot after a failure: a manual clock stands still.
    public static let impatient = RefreshPolicy.default.impatient

    /// The same policy without the patience for the next slot.
    public var impatient: RefreshPolicy {
        var policy = self
        policy.backOff.patience = .zero
        return policy
    }
}
