// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// The checks find every store that ends sessions or lets two hosts spend one token.
struct DeadlyStoreTests {
    private func check(_ defect: DeadlyStore.Defect?) async throws {
        try await SharedTokenStoreChecks<DeadlyStore>(
            lockLimit: .milliseconds(20), patience: .milliseconds(1_200),
            reopened: { $0.reopened() },
            unreachable: {
                let store = DeadlyStore(defect)
                store.place.contents.withLock { $0.isReachable = false }
                return store
            },
            emptied: { $0.place.empty() }
        ) {
            let store = DeadlyStore(defect)
            return (store, DeadlyStore(defect, at: store.place))
        }.run()
    }

    @Test func `the store without a defect passes`() async throws { try await check(nil) }

    @Test(arguments: [
        (DeadlyStore.Defect.releasesAnothersLock, "releases only its own access"),
        (.undeclaredTimeToLive, "keeps access, intent and token until they are removed"),
        (.lockEndsAfterASecond, "keeps access, intent and token until they are removed"),
        (.reportsErrorsAsEmpty, "tells an error from an empty store"),
        (.intentExpires, "keeps access, intent and token until they are removed"),
        (.alwaysGone, "tells an emptied place from a sign-out"),
        (.oneLockIDForAll, "releases only its own access"),
        (.savesWithoutCondition, "saves if the condition is met and only then"),
        (.savesInTwoSteps, "lets one of many conditional saves win"),
        (.excludesNobody, "gives exclusive access to one at a time"),
        (.losesIntents, "keeps an intent until it is removed"),
        (.forgetsAtTheNextLaunch, "keeps an intent for the next launch"),
        (.forgetsThePlaceOfASave, "tells an emptied place from a sign-out"),
    ])
    func `a deadly store fails its check`(_ defect: DeadlyStore.Defect, _ check: String) async {
        let found = await failures { try await self.check(defect) }
        #expect(found.contains { $0.check == check }, "\(found)")
    }
}
