// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import RequestAuthorization
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationURLSession

/// Gives each exchange five minutes. The machine may do other work, and tests that are not about a time limit must not depend on
/// that.
struct PatientTransport: TokenTransport {
    let base: any TokenTransport

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        var request = request
        request.timeout = .seconds(300)
        return try await base.send(request)
    }
}

extension TokenTransport where Self == PatientTransport {
    static var patient: Self { PatientTransport(base: URLSession.shared) }
}

extension URLSession {
    /// As patient as ``PatientTransport``.
    static let patient: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 300
        return URLSession(configuration: configuration)
    }()
}

extension HTTPClient {
    /// As patient with a connection, for which a request may queue, and follows no redirect.
    static let patient: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(300)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}
#endif
