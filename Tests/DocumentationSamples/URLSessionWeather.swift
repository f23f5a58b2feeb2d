// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// sample: transport
public import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

public struct URLSessionTransport: WeatherTransport {
    private let session: URLSession

    public init(session: URLSession = .shared) { self.session = session }

    public func send(
        _ request: WeatherRequest, authorizedBy authorization: any AuthorizationProvider
    ) async throws -> WeatherResponse {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        let (data, response) = try await session.data(for: URLRequest(url: url), authorizedBy: authorization)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate")
        return WeatherResponse(
            statusCode: response.statusCode, fields: challenge.map { [("WWW-Authenticate", $0)] } ?? [],
            body: Array(data))
    }
}
// end sample
