// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import SpotifyWebAPI
import Testing

@testable import SpotifyApp

@MainActor
@Suite struct SignInTests {
    @Test func `logging in shows the user and what is playing, and saves the token`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            #expect(model.screen == .launching)
            await model.restore()
            #expect(model.screen == .logIn)
            let page = try await device.page(of: model)
            #expect(model.isSigningIn)
            #expect(await model.open(try await device.spotify.callback(for: page)))
            #expect(model.screen == .content && !model.isSigningIn && model.alert == nil)
            #expect(model.user?.displayName == "Local Listener")
            #expect(model.playing?.title == "Night Ferry" && model.playing?.makers == "The Harbour Lights")
            #expect(try await device.store.load()?.token == model.authorization.validToken())
        }
    }

    @Test func `the app contains no client secret`() async throws {
        let model = SpotifyModel(clientID: "id", redirectURI: "my-app://login-callback")
        #expect(model.service.configuration.client == .public(id: "id"))
        #expect(model.service.configuration.flow == .pkce)
        try await Device.run { @MainActor device in
            let model = device.launch()
            #expect(model.service.configuration.client == .public(id: "local-client"))
            let page = try await device.page(of: model)
            #expect(page.absoluteString.contains("code_challenge_method=S256"))
            #expect(!page.absoluteString.contains("secret"))
        }
    }

    @Test func `the whole callback URL is checked, not only its scheme`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            await model.restore()
            let callback = try await device.spotify.callback(for: try await device.page(of: model))
            let query = try #require(callback.query(percentEncoded: true))
            for address in [
                "local-app://other-callback?\(query)", "local-app://login-callback/more?\(query)",
                "local-app://login-callback.evil.example?\(query)", "local-app://user@login-callback?\(query)",
                "other-app://login-callback?\(query)", "local-app://login-callback:1?\(query)",
                "local-app://login-callback?code=x&state=forged", "local-app://login-callback?\(query)&state=twice",
            ] {
                #expect(await model.open(try #require(URL(string: address))) == false, "\(address)")
            }
            #expect(model.isSigningIn && model.alert == nil && model.screen == .logIn)
            #expect(await device.spotify.tokenCalls.isEmpty)
            #expect(await model.open(callback))
            #expect(model.screen == .content)
        }
    }

    @Test func `a foreign link does not affect a pending log-in or a session`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            await model.restore()
            let page = try await device.page(of: model)
            for link in [
                "local-app://playlist/1", "local-app://login-callback",
                "local-app://login-callback?error=access_denied",
                "local-app://login-callback?error=access_denied&state=forged", "local-app://login-callback?code=stolen",
            ] { #expect(await model.open(try #require(URL(string: link))) == false) }
            #expect(model.alert == nil)
            #expect(await model.open(try await device.spotify.callback(for: page)))
            #expect(model.screen == .content)
            #expect(await model.open(try #require(URL(string: "local-app://login-callback?code=x&state=y"))) == false)
            #expect(model.screen == .content && model.user != nil && model.alert == nil)
        }
    }

    @Test func `a denial is shown, and the next log-in works`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            await model.restore()
            let page = try await device.page(of: model)
            #expect(await model.open(try await device.spotify.callback(for: page, decision: .deny)))
            #expect(model.alert == .denied && model.screen == .logIn && !model.isSigningIn)
            model.alert = nil
            let callback = try await device.spotify.callback(for: try await device.page(of: model))
            #expect(await model.open(callback))
            #expect(model.screen == .content && model.alert == nil)
        }
    }

    @Test func `a callback works once`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            await model.restore()
            let callback = try await device.spotify.callback(for: try await device.page(of: model))
            #expect(await model.open(callback))
            await model.open(callback)
            #expect(model.screen == .content)
            #expect(await device.spotify.tokenCalls.map(\.outcome) == [.signedIn])
        }
    }

    @Test func `the app may end while its user is in the browser`() async throws {
        try await Device.run { @MainActor device in
            let page = try await device.page(of: device.launch())
            let model = device.launch()
            await model.restore()
            #expect(model.screen == .logIn)
            #expect(await model.open(try await device.spotify.callback(for: page)))
            #expect(model.screen == .content && model.user != nil)
        }
    }

    @Test func `a log-in that Spotify does not confirm is shown without details`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            await model.restore()
            let callback = try await device.spotify.callback(for: try await device.page(of: model))
            await device.spotify.inject(.status(503), on: .tokenEndpoint)
            #expect(await model.open(callback))
            #expect(model.alert == .failed && model.screen == .logIn && !model.isSigningIn)
            #expect(model.alert?.message.contains("503") == false)
        }
    }

    @Test func `a user who comes back after ten minutes must log in again`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            await model.restore()
            let callback = try await device.spotify.callback(for: try await device.page(of: model))
            device.clock.advance(by: .seconds(601))
            #expect(await model.open(callback))
            #expect(model.alert == .late && model.screen == .logIn)
        }
    }
}
