// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport
import Foundation
import RequestAuthorizationURLSession
import TrustedBundle

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cost of a `POST` in units of a `GET`, over `http` and over `https`, with a new connection and with a reused one.
///
/// These figures are reported without a bound. Only on Linux does a `POST` get a connection of its own.
func measureUploads(slowDown: Double?) async throws -> [Figure] {
    #if canImport(FoundationNetworking)
    try await withSelfMadeCertificate { certificate in
        defer { trusted_bundle_use(nil) }
        var figures = try await withUploadServer(certificate: nil) {
            try await measurePosts("http", to: $0, slowDown)
        }
        // Only this file can be replaced by another one.
        guard let system = FileManager.default.contents(atPath: "/etc/ssl/certs/ca-certificates.crt") else {
            return figures
        }
        // Each new connection reads all trusted authorities: as many as in a usual program, and one alone.
        for others in [system, Data()] {
            let bundle = try others + Data(contentsOf: URL(filePath: certificate.file))
            let count = String(decoding: bundle, as: UTF8.self).components(separatedBy: "BEGIN CERTIFICATE").count - 1
            try bundle.write(to: URL(filePath: certificate.file + ".bundle"))
            trusted_bundle_use(strdup(certificate.file + ".bundle"))
            figures += try await withUploadServer(certificate: certificate) {
                try await measurePosts("https, \(count) trusted", to: $0, slowDown)
            }
        }
        return figures
    }
    #else
    []
    #endif
}

#if canImport(FoundationNetworking)
private func measurePosts(_ name: String, to url: URL, _ slowDown: Double?) async throws -> [Figure] {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let get = URLRequest(url: url)
    var post = get
    post.httpMethod = "POST"
    post.httpBody = Data(repeating: 120, count: 100)
    post.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    let kinds = [
        (name: "with a connection of its own", connection: ConnectionUse.automatic, batch: 2),
        (name: "that reuses one", connection: .reused, batch: 10),
    ]
    var figures: [Figure] = []
    for kind in kinds {
        let comparison = Comparison(
            "\(name): a POST \(kind.name) / a GET",
            .calling(session, post, kind.connection, times: kind.batch),
            against: .calling(session, get, .automatic, times: 10), bound: nil, rounds: 60)
        figures.append(try await comparison.measure(slowDown: slowDown))
    }
    return figures
}

extension Contender {
    /// Calls in sequence.
    fileprivate static func calling(
        _ session: URLSession, _ request: URLRequest, _ connection: ConnectionUse, times: Int
    ) -> Contender {
        Contender(times: times) { times in
            for _ in 0..<times {
                let (_, response) = try await session.data(
                    for: request, authorizedBy: Fixture.auth, connection: connection)
                guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
            }
        }
    }
}
#endif
#endif
