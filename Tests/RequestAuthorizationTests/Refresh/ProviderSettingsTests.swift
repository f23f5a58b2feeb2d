// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// What providers share.
@Suite struct ProviderSettingsTests {
    private func settings(
        _ policy: RefreshPolicy = .default, clock: any AuthorizationClock = .system
    ) -> ProviderSettings {
        RefreshableTokenAuthorization(service: CountingService(), policy: policy, clock: clock).settings
    }

    @Test func `providers with the usual settings share one object, and others have their own`() {
        #expect(settings() === settings())
        let clock = ManualClock()
        for other in [settings(.tool), settings(clock: clock)] { #expect(other !== settings()) }
        #expect(settings(.tool).policy.value == .tool)
        #expect(settings(clock: clock).clock.now == clock.now)
    }
}
