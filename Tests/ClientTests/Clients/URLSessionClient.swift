// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `URLSession.data(for:authorizedBy:)` with a `URLRequest`.
struct URLSessionClient: TestedClient {
    private let session: URLSession

    init(connections: Int) { session = URLSession(configuration: .forScenarios(connections: connections)) }

    var lacks: [Capability: String] { URLSession.lacks }

    var growth: Int { URLSession.growth }

    func send(_ call: Call, authorizedBy provider: any AuthorizationProvider) async throws -> Reply {
        var request = URLRequest(url: call.url)
        request.httpMethod = call.method
        for (name, value) in call.fields { request.setValue(value, forHTTPHeaderField: name) }
        switch call.body {
        case .none: break
        case .bytes(let bytes): request.httpBody = Data(bytes)
        case .once(let bytes): request.httpBodyStream = InputStream(data: Data(bytes))
        }
        let (data, response) = try await session.data(
            for: request, authorizedBy: provider, refreshCount: call.refreshCount)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return Reply(response, body: data)
    }

    func isOwn(_ error: any Error) -> Bool { error is URLError }

    func close() { session.invalidateAndCancel() }
}

extension URLSession {
    #if canImport(FoundationNetworking)
    static let lacks: [Capability: String] = [:]
    #else
    static let lacks: [Capability: String] = [
        .privateCertificates: "`URLSession` trusts the certificates of the system."
    ]
    #endif

    /// `data(for:)` of swift-corelibs-foundation alone was seen to keep 200 to 300 bytes of each request.
    static let growth = 4 << 20
}

extension URLSessionConfiguration {
    static func forScenarios(connections: Int) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        return configuration
    }
}
#endif
