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

    /// The store that all workers share.
    func tokenStore(_ execution: Execution) -> RestrictedFileTokenStore<StressToken> {
        let items = RestrictedFileItems(
            client: "stress", account: "shared", folder: .at(store.path), layer: DeadlyFileLayer(execution: execution))
        return RestrictedFileTokenStore(items)
    }
}
