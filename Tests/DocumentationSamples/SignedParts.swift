// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

// sample: parts
/// What a signature covers beside the body, as it goes over the wire.
struct SignedParts {
    let method, host, path, query: String

    init(of request: some AuthorizableRequest) throws(NotAuthorized) {
        guard !request.isPlaintext else { throw NotAuthorized(.insecureTransport) }
        guard let method = request.requestMethod, let target = request.targetURI, let origin = request.origin else {
            throw NotAuthorized(.notSignable, detail: "its method or its target is not known")
        }
        let afterScheme = target.drop { $0 != ":" }.dropFirst("://".count)
        let parts = afterScheme.drop { $0 != "/" && $0 != "?" }.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        host = request.credential(in: "Host") ?? "\(origin)".replacing("\(origin.scheme)://", with: "")
        path = parts[0].isEmpty ? "/" : String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : ""
    }
}
// end sample
