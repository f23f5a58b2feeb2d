// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@_spi(FileLayer) import RequestAuthorizationStorage

/// Where a run keeps its things.
struct StressFolder: Sendable {
    let url: URL

    init(_ url: URL) { self.url = url }

    var clock: URL { url.appending(path: "clock") }
    var log: URL { url.appending(path: "log.jsonl") }
    /// The store's own, with nothing else in it.
    var store: URL { url.appending(path: "store") }

    /// What the replicas of a fleet are told: ``FleetSetting``.
    var fleet: URL { url.appending(path: "fleet.json") }

    /// While this is there, the workers' disk is full.
    var fullDisk: URL { url.appending(path: "disk-is-full") }

    static let client = "stress"
    let account = "shared"
    /// Knows and removes what the store keeps.
    var accounts: RestrictedFileAccounts { RestrictedFileAccounts(client: Self.client, folder: .at(store.path)) }

    /// The store that all workers share.
    func tokenStore(_ execution: Execution) -> RestrictedFileTokenStore<StressToken> {
        let items = RestrictedFileItems(
            client: Self.client, account: account, folder: .at(store.path),
            layer: DeadlyFileLayer(execution: execution, fullDisk: fullDisk))
        return RestrictedFileTokenStore(items)
    }
}
