// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@_spi(FileLayer) import RequestAuthorizationStorage

/// The folder with the files of a run.
struct StressFolder: Sendable {
    let url: URL

    init(_ url: URL) { self.url = url }

    var clock: URL { url.appending(path: "clock") }
    var log: URL { url.appending(path: "log.jsonl") }
    /// The folder of the store, which holds nothing else.
    var store: URL { url.appending(path: "store") }

    /// The settings of a fleet's replicas: ``FleetSetting``.
    var fleet: URL { url.appending(path: "fleet.json") }

    /// While this file exists, the disk of the workers is full.
    var fullDisk: URL { url.appending(path: "disk-is-full") }

    static let client = "stress"
    let account = "shared"
    /// Lists and removes the accounts in the store.
    var accounts: RestrictedFileAccounts { RestrictedFileAccounts(client: Self.client, folder: .at(store.path)) }

    /// The store that all workers share.
    func tokenStore(_ execution: Execution) -> RestrictedFileTokenStore<StressToken> {
        let items = RestrictedFileItems(
            client: Self.client, account: account, folder: .at(store.path),
            layer: DeadlyFileLayer(execution: execution, fullDisk: fullDisk))
        return RestrictedFileTokenStore(items)
    }
}
