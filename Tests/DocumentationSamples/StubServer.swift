// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stands in for the servers of the samples, below `widgets.example`: tokens at `accounts`, widgets at `api`.
final class StubServer: URLProtocol {
    typealias Session = URLSession

    static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubServer.self]
        return URLSession(configuration: configuration)
    }()

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host?.hasSuffix("widgets.example") == true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let isToken = request.url?.host == "accounts.widgets.example"
        let credential = request.value(forHTTPHeaderField: "Authorization") ?? "Bearer stale"
        let isRefused = !isToken && credential == "Bearer stale"
        let fields = isRefused ? ["WWW-Authenticate": #"Bearer error="invalid_token""#] : [:]
        let body = isToken ? #"{"access_token":"fresh","refresh_token":"next","expires_in":3600}"# : credential
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: isRefused ? 401 : 200, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(body.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
