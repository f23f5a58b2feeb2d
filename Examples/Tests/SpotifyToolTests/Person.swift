// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A user with a terminal, a browser and an empty home folder, and a local Spotify.
struct Person {
    let spotify: LocalSpotify
    let environment: [String: String]
    private let home: URL

    /// Serves a local Spotify while the closure runs.
    ///
    /// - Parameter environment: the environment of all commands.
    static func with(
        _ spotify: LocalSpotify? = nil, environment: [String: String] = [:], _ body: (Person) async throws -> Void
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "spotify-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: home) }
        let spotify = try spotify ?? LocalSpotify()
        try await spotify.serve { url in
            let own = ["XDG_STATE_HOME": home.path(), "SPOTIFY_LOCAL": url.absoluteString]
            try await body(Person(spotify: spotify, environment: environment.merging(own) { $1 }, home: home))
        }
    }

    /// Runs a command with `--local`, and checks that it prints no secret.
    func run(_ arguments: String..., environment more: [String: String] = [:]) async throws -> Running.Result {
        let result = try await Running.run(arguments + ["--local"], environment: environment.merging(more) { $1 })
        try expectNoSecret(in: result)
        return result
    }

    /// Signs in: opens the printed page, decides, and follows the redirect.
    ///
    /// - Returns: the result of the tool, and the last page in the browser.
    @discardableResult
    func login(
        _ arguments: String..., decision: LocalSpotify.Decision = .allow, environment more: [String: String] = [:]
    ) async throws -> (result: Running.Result, page: String, opened: String) {
        let login = try Running(
            "spotify", ["login", "--local"] + arguments, environment: environment.merging(more) { $1 })
        let address = try await login.word(beginning: "http://", ofErrors: true)
        let callback = try await spotify.callback(for: try #require(URL(string: address)), decision: decision)
        let (page, _) = try await URLSession.shared.data(from: callback)
        let result = try await login.result()
        try expectNoSecret(in: result)
        return (result, String(decoding: page, as: UTF8.self), address)
    }

    /// The contents of the token store, as text.
    var kept: [String] {
        get throws {
            let files = FileManager.default.enumerator(at: home, includingPropertiesForKeys: [.isRegularFileKey])
            return try (files?.allObjects ?? []).compactMap { $0 as? URL }
                .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
                .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        }
    }

    /// The stored access tokens.
    var tokens: [String] {
        get throws {
            try kept.compactMap { try? JSONDecoder().decode(Kept.self, from: Data($0.utf8)).token?.accessToken }
        }
    }

    /// Makes the stored token expire.
    func expireToken() async throws { try await setToken(remaining: -1) }

    /// Changes the expiry of the stored token so that it has this many seconds left; a negative number means expired.
    func setToken(remaining: TimeInterval) async throws {
        let folder = home.appending(path: "swift-request-authorization").path()
        let store = RestrictedFileTokenStore<OAuthToken>(client: "local-client", account: "me", folder: .at(folder))
        let kept = try #require(try await store.load())
        var token = try #require(kept.token)
        token.expiresAt = .now + remaining
        let obtainedAt = token.expiresAt - 3600
        try await store.save(StoredToken(.token(token), version: kept.version, obtainedAt: obtainedAt))
    }

    /// The status of the Web API's answer to an access token.
    func status(of token: String) async throws -> Int {
        var request = URLRequest(url: try #require(URL(string: (environment["SPOTIFY_LOCAL"] ?? "") + "/v1/me")))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }

    // MARK: -

    private struct Kept: Decodable {
        struct Token: Decodable {
            let accessToken: String
            let refreshToken: String?
        }
        let token: Token?
    }

    /// Checks for the tokens and the app's secret. No file may hold the secret either.
    private func expectNoSecret(in result: Running.Result) throws {
        let files = try kept
        let tokens = files.compactMap { try? JSONDecoder().decode(Kept.self, from: Data($0.utf8)).token }
        let clientSecret = environment["CLIENT_SECRET"]
        for secret in tokens.flatMap({ [$0.accessToken, $0.refreshToken] }) + [clientSecret] {
            guard let secret else { continue }
            #expect(!result.output.contains(secret) && !result.errors.contains(secret))
        }
        if let clientSecret { #expect(!files.contains { $0.contains(clientSecret) }) }
    }
}
