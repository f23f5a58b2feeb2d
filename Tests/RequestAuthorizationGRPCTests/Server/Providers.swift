// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorization
import RequestAuthorizationTesting

typealias Auth = RefreshableTokenAuthorization<TestToken>

extension RefreshableTokenAuthorization where Token == TestToken {
    /// A provider that holds the token `a`, and one that a script refreshes; `onHold` is called when a call is held.
    static func holdingA(
        _ service: ScriptedTokenService<TestToken>, onHold: (@Sendable () -> Void)? = nil
    ) -> Auth {
        Auth(
            service: service, token: TestToken("a"), store: nil, policy: .init(backOff: .init(patience: .zero)),
            clock: ManualClock(), onHold: onHold)
    }
}

struct Offline: Error {}
#endif
