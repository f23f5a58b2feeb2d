// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the stand-in counted.
public struct Statistics: Hashable, Sendable {
    /// Refreshes that were asked for, whatever came of them; sign-ins not.
    public internal(set) var tokenCalls = 0
    /// Refresh tokens presented again, and second refreshes of the same generation.
    public internal(set) var duplicateTokenCalls = 0
    /// Refreshes asked for again because the answer to the first never reached the client.
    public internal(set) var retriesAfterLostAnswer = 0
    /// Sign-ins that ended by reuse or revocation.
    public internal(set) var sessionsLost = 0
    /// Calls of the Web API.
    public internal(set) var webAPICalls = 0
    /// Calls of the Web API that were answered with 401.
    public internal(set) var unauthorized = 0
    /// Faults that befell a call.
    public internal(set) var faults = 0

    public init() {}

    mutating func count(_ call: TokenCall) {
        guard call.isRefresh else { return }
        tokenCalls += 1
        if call.isDuplicate { duplicateTokenCalls += 1 }
        if call.isRetryAfterLostAnswer { retriesAfterLostAnswer += 1 }
    }
}
