// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct `spotify serve` {
    @Test func `prints its address, and serves there until it is ended`() async throws {
        let server = try Running("spotify", ["serve", "--port", "0"], environment: [:])
        let base = try await server.word(beginning: "http://127.0.0.1:", ofErrors: false)
        let url = try #require(URL(string: base + "/v1/me"))
        let (data, response) = try await URLSession.shared.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(String(decoding: data, as: UTF8.self).contains("No token provided"))

        let port = try #require(url.port)
        let other = try await Running.run(["serve", "--port", "\(port)"])
        #expect(other.status == 69)
        #expect(other.errors.contains("port \(port) of 127.0.0.1 cannot be served"))
        #expect(other.errors.contains("spotify serve --port 0"))

        server.terminate()
        let result = try await server.result()
        #expect(result.status == -15)
        #expect(result.output.contains("export SPOTIFY_LOCAL=\(base)"), "it does not use the default port")
        #expect(result.output.contains("spotify login --local"))
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test func `prints its address as JSON`() async throws {
        let server = try Running("spotify", ["serve", "--port", "0", "--json"], environment: [:])
        let address = try await server.word(beginning: "\"http://127.0.0.1:", ofErrors: false)
        server.terminate()
        let output = try await server.result().output
        let object = try JSONDecoder().decode([String: String].self, from: Data(output.utf8))
        #expect(object["url"].map { "\"\($0)\"" } == address)
    }

    @Test(arguments: [
        ["serve", "--token-lifetime", "0"], ["serve", "--port", "70000"], ["serve", "--rotation", "x"], ["x"],
    ])
    func `refuses invalid options`(arguments: [String]) async throws {
        #expect(try await Running.run(arguments).status == 64)
    }
}
