// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import SpotifyApp

/// A device with the app, and a local Spotify over a socket. Stored data outlives a launch. The clock moves only by
/// hand.
struct Device: Sendable {
    static let redirectURI = "local-app://login-callback"

    let spotify: LocalSpotify
    let url: URL
    let clock: ManualClock
    let folder: URL

    /// The store of the token.
    var store: RestrictedFileTokenStore<OAuthToken> { .init(client: "app", account: "me", folder: .at(folder.path)) }

    /// Launches the app again.
    @MainActor
    func launch() -> SpotifyModel {
        let service = SpotifyTokenService.pkce(
            clientID: "local-client", redirectURI: Self.redirectURI, accounts: .spotify(accounts: url),
            pendingSignIns: .items(
                RestrictedFileItems(client: "app", account: "sign-ins", folder: .at(folder.path))),
            transport: URLSession.shared, clock: clock)
        // Without the patience for another try: it would wait until the test moves the clock.
        let policy = RefreshPolicy(backOff: RefreshPolicy.BackOff(patience: .zero))
        return SpotifyModel(
            service: service, authorization: service.authorization(store: store, policy: policy, clock: clock),
            webAPI: url)
    }

    /// Launches the app and logs in.
    @MainActor
    func loggedIn() async throws -> SpotifyModel {
        let model = launch()
        await model.restore()
        await model.open(try await spotify.callback(for: try await page(of: model)))
        return model
    }

    /// Presses the button, which opens Spotify's page.
    @MainActor
    func page(of model: SpotifyModel) async throws -> URL {
        struct NoPage: Error {}
        guard let page = await model.signIn() else { throw NoPage() }
        return page
    }

    static func run(
        lifetime: Duration = .seconds(60), _ body: @Sendable (Device) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "SpotifyApp-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let clock = ManualClock()
        let spotify = try LocalSpotify(
            policy: TokenPolicy(rotation: .on, accessTokenLifetime: lifetime), clock: clock)
        try await spotify.serve { url in
            try await body(Device(spotify: spotify, url: url, clock: clock, folder: folder))
        }
    }
}
