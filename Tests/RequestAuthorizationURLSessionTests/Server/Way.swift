// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorizationURLSession
import TestProviders

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The functions under test, for tests that apply to all of them.
enum Way: String, CaseIterable {
    case data, uploadData, uploadFile, download

    /// The body of the uploads.
    static let payload = "line 1\r\n\u{0}line 2 é"

    /// The response: the status, and the body as text.
    struct Received: Equatable {
        let status: Int
        let body: String

        init(_ status: Int, _ body: String) {
            self.status = status
            self.body = body
        }
    }

    func send(
        _ request: URLRequest, through session: URLSession = .shared,
        authorizedBy provider: any AuthorizationProvider = CountingProvider(), refreshCount: Int = 1
    ) async throws -> Received {
        let (data, response): (Data, URLResponse)
        switch self {
        case .data:
            (data, response) = try await session.data(
                for: request, authorizedBy: provider, refreshCount: refreshCount)
        case .uploadData:
            (data, response) = try await session.upload(
                for: request, from: Data(Self.payload.utf8), authorizedBy: provider, refreshCount: refreshCount)
        case .uploadFile:
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try Data(Self.payload.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            (data, response) = try await session.upload(
                for: request, fromFile: file, authorizedBy: provider, refreshCount: refreshCount)
        case .download:
            let (file, fileResponse) = try await session.download(
                for: request, authorizedBy: provider, refreshCount: refreshCount)
            data = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            response = fileResponse
        }
        return Received((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    /// A request of the kind that this function takes.
    func request(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if self == .uploadData || self == .uploadFile { request.httpMethod = "POST" }
        return request
    }

    var sentBody: String { self == .uploadData || self == .uploadFile ? Self.payload : "" }
}
#endif
