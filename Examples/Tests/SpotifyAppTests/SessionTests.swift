// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Observation
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import SpotifyWebAPI
import Testing

@testable import SpotifyApp

@MainActor
@Suite struct SessionTests {
    @Test func `the next launch continues the session`() async throws {
        try await Device.run { @MainActor device in
            _ = try await device.loggedIn()
            let model = device.launch()
            #expect(model.screen == .launching)
            await model.restore()
            #expect(model.screen == .content && model.user?.displayName == "Local Listener")
            #expect(await device.spotify.tokenCalls.map(\.outcome) == [.signedIn])
        }
    }

    @Test func `each new token is stored before it is used, so that a launch finds the last one`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            let first = try await device.store.load()?.token
            device.clock.advance(by: .seconds(61))
            await model.refresh()
            let second = try await device.store.load()?.token
            #expect(second != nil && second != first)
            device.clock.advance(by: .seconds(61))
            let next = device.launch()
            await next.restore()
            #expect(next.screen == .content && next.user != nil)
            #expect(await device.spotify.statistics.duplicateTokenCalls == 0)
            #expect(await device.spotify.tokenCalls.map(\.outcome) == [.signedIn, .refreshed, .refreshed])
        }
    }

    @Test func `the session continues without a network`() async throws {
        try await Device.run { @MainActor device in
            let former = try await device.loggedIn()
            // Otherwise the former launch may refresh in the background, and get the fault instead of the next launch.
            try await former.authorization.shutdown(within: .seconds(10))
            device.clock.advance(by: .seconds(61))
            await device.spotify.inject(.dropped, on: .tokenEndpoint)
            let model = device.launch()
            await model.restore()
            #expect(model.screen == .content && model.isStale && model.alert == nil)
            device.clock.advance(by: .seconds(61))
            await model.refresh()
            #expect(!model.isStale && model.user != nil)
        }
    }

    @Test func `data that cannot be refreshed is still shown`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            await device.spotify.inject(.status(503), on: .webAPI)
            await model.refresh()
            #expect(model.isStale && model.user != nil && model.playing != nil)
            await model.refresh()
            #expect(!model.isStale)
        }
    }

    @Test func `a user whom Spotify refuses is told so, and the session continues`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            await device.spotify.inject(.status(403), on: .webAPI)
            await model.refresh()
            #expect(model.alert == .refused && model.screen == .content && model.user != nil && !model.isStale)
        }
    }

    @Test func `logging out removes all data`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            await model.signOut()
            #expect(model.screen == .logIn && model.user == nil && model.playing == nil)
            #expect(model.signOutAdvice?.contains("https://www.spotify.com/account/apps/") == true)
            #expect(try await device.store.load()?.token == nil)
            let next = device.launch()
            await next.restore()
            #expect(next.screen == .logIn)
        }
    }

    @Test func `an answer after the log-out is not shown`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            // The user is fetched first, then what is playing: the late answer is the last one.
            await device.spotify.inject(.slow(.seconds(1)), on: .webAPI)
            await device.spotify.inject(.slow(.seconds(5)), on: .webAPI)
            let refresh = Task { await model.refresh() }
            await device.clock.sleepers(1)
            device.clock.advance(by: .seconds(1))
            await device.clock.sleepers(1)
            await model.signOut()
            device.clock.advance(by: .seconds(5))
            await refresh.value
            #expect(model.screen == .logIn && model.user == nil && model.playing == nil && !model.isStale)
        }
    }

    @Test func `a session that Spotify has ended leads to the log-in`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            await device.spotify.revokeSessions()
            await device.spotify.revokeAccessTokens()
            await model.refresh()
            #expect(model.user == nil && model.playing == nil)
            let next = device.launch()
            await next.restore()
            #expect(next.screen == .logIn)
        }
    }

    @Test func `a session without a scope that the app needs leads to the log-in`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            var token = try await model.authorization.validToken()
            token.scopes.remove("user-read-playback-state")
            try await model.authorization.setToken(token)
            await model.refresh()
            #expect(model.screen == .logIn && model.user == nil && model.playing == nil && !model.isStale)
            let callback = try await device.spotify.callback(for: try await device.page(of: model))
            #expect(await model.open(callback))
            #expect(model.screen == .content && model.user != nil)
        }
    }

    @Test func `views are notified of changes`() async throws {
        try await Device.run { @MainActor device in
            let model = device.launch()
            await model.restore()
            await confirmation { isTold in
                withObservationTracking {
                    _ = model.screen
                } onChange: {
                    isTold()
                }
                _ = try? await model.open(device.spotify.callback(for: device.page(of: model)))
            }
            #expect(model.screen == .content)
        }
    }

    @Test func `the model prints no token`() async throws {
        try await Device.run { @MainActor device in
            let model = try await device.loggedIn()
            let token = try await model.authorization.validToken()
            var dumped = ""
            dump(model, to: &dumped)
            let refreshToken = try #require(token.refreshToken)
            #expect(!dumped.contains(token.accessToken))
            #expect(!dumped.contains(refreshToken))
        }
    }
}
