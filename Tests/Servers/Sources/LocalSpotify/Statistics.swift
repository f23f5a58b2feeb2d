// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The counts of the stand-in.
public struct Statistics: Hashable, Sendable {
    /// Refresh requests, successful or not. Sign-ins are not counted.
    public internal(set) var tokenCalls = 0
    /// Refresh tokens presented again, and second refreshes of the same generation.
    public internal(set) var duplicateTokenCalls = 0
    /// Refreshes that were repeated because the answer to the first did not reach the client.
    public internal(set) var retriesAfterLostAnswer = 0
    /// Sign-ins that ended by reuse or revocation.
    public internal(set) var sessionsLost = 0
    /// Calls of the Web API.
    public internal(set) var webAPICalls = 0
    /// Calls of the Web API that were answered with 401.
    public internal(set) var unauthorized = 0
    /// Faults that were injected.
    public internal(set) var faults = 0

    public init() {}

    mutating func count(_ call: TokenCall) {
        guard call.isRefresh else { return }
        tokenCalls += 1
        if call.isDuplicate { duplicateTokenCalls += 1 }
        if call.isRetryAfterLostAnswer { retriesAfterLostAnswer += 1 }
    }
}
