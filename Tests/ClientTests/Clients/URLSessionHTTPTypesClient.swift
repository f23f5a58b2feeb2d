// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import HTTPTypesFoundation
import RequestAuthorizationHTTPTypes
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `URLSession.data(for:authorizedBy:)` and `upload(for:from:authorizedBy:)` with an `HTTPRequest`.
struct URLSessionHTTPTypesClient: TestedClient {
    private let session: URLSession

    init(connections: Int) { session = URLSession(configuration: .forScenarios(connections: connections)) }

    let lacks = URLSession.lacks.merging([
        .oneShotBodies:
            "An `HTTPRequest` has no body; the bytes or the file that `URLSession` sends beside it can be read again."
    ]) { $1 }

    var growth: Int { URLSession.growth }

    func send(_ call: Call, authorizedBy provider: any AuthorizationProvider) async throws -> Reply {
        guard let method = HTTPRequest.Method(call.method) else { throw URLError(.badURL) }
        var request = HTTPRequest(method: method, url: call.url)
        for (name, value) in call.fields {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let (data, response) =
            switch call.body {
            case .none:
                try await session.data(for: request, authorizedBy: provider, refreshCount: call.refreshCount)
            case .bytes(let bytes), .once(let bytes):
                try await session.upload(
                    for: request, from: Data(bytes), authorizedBy: provider, refreshCount: call.refreshCount)
            }
        return Reply(response, body: data)
    }

    func isOwn(_ error: any Error) -> Bool { error is URLError }

    func close() { session.invalidateAndCancel() }
}
#endif
