// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a call has to know of its session's configuration, read once where that is possible.
struct SessionSettings: Sendable {
    /// Seconds without any byte, unless the request says otherwise.
    let idleTimeout: TimeInterval
    /// Seconds for a whole call, redirects included.
    let wholeTimeout: TimeInterval
    /// How many requests with a connection of their own may be under way to a host.
    let connectionsPerHost: Int
    /// The names of the fields that the session puts on every request, in lower case.
    let addedFields: [String]

    init(_ configuration: URLSessionConfiguration) {
        idleTimeout = configuration.timeoutIntervalForRequest
        wholeTimeout = configuration.timeoutIntervalForResource
        connectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        addedFields = (configuration.httpAdditionalHeaders ?? [:]).keys.compactMap { ($0 as? String)?.lowercased() }
    }
}
