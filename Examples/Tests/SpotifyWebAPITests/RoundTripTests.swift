// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
import RequestAuthorizationTesting
import SpotifyWebAPI
import Testing

/// Makes every call over a socket, and checks its effect.
@Suite(.timeLimit(.minutes(5))) struct `The calls against the local Spotify` {
    private let clock = ManualClock()

    private func withClient(
        _ quota: QuotaMode = .development, _ body: (SpotifyClient, LocalSpotify) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(mode: quota == .extended ? .extendedQuota : .developmentMode, clock: clock)
        try await spotify.serve { url in
            let service = SpotifyTokenService.pkce(
                clientID: "local-client", redirectURI: "local-app://login-callback", accounts: .spotify(accounts: url),
                pendingSignIns: InMemoryPendingSignIns(), transport: URLSession(configuration: .ephemeral), clock: clock
            )
            let auth = RefreshableTokenAuthorization(service: service, clock: clock)
            let pending = try await service.signIn(scopes: SpotifyScope.allCases)
            let callback = try await spotify.callback(for: pending.url)
            try await auth.signIn { try await service.finish(callback: callback) }
            try await body(SpotifyClient(authorization: auth, base: url, quota: quota, clock: clock), spotify)
        }
    }

    @Test func `the player runs commands`() async throws {
        try await withClient { spotify, _ in
            let device = try #require(try await spotify.devices().first?.id)
            let tides = Playback.context("spotify:album:2bTidesAndTimetables01", offset: .position(1))
            try await spotify.play(tides, at: .seconds(3), on: device)
            var state = try #require(try await spotify.playbackState())
            #expect(state.item?.name == "Last Train to the Harbour" && state.progress == .seconds(3))
            #expect(state.context?.uri == "spotify:album:2bTidesAndTimetables01")

            clock.advance(by: .seconds(10))
            try await spotify.pause()
            clock.advance(by: .seconds(10))
            state = try #require(try await spotify.currentlyPlaying())
            #expect(!state.isPlaying && state.progress == .seconds(13))

            try await spotify.play()
            try await spotify.addToQueue("spotify:track:1cUeberDaecher00000004")
            let upcoming = try await spotify.queue().queue
            #expect(upcoming.map(\.name) == ["Über den Dächern", "Lighthouse Keeping"])
            try await spotify.skipToNext()
            let afterSkip = try await spotify.playbackState()?.item?.name
            #expect(afterSkip == "Über den Dächern")
            try await spotify.seek(to: .seconds(100))
            try await spotify.setVolume(11)
            state = try #require(try await spotify.playbackState())
            #expect(state.progress == .seconds(100))
            #expect(state.isPlaying && state.device?.volumePercent == 11)

            let two = ["spotify:track:1cNightFerry0000000001", "spotify:track:1cLighthouse0000000003"]
            try await spotify.play(.uris(two, offset: .uri(two[1])))
            let chosen = try await spotify.playbackState()?.item?.name
            #expect(chosen == "Lighthouse Keeping")
            try await spotify.skipToPrevious()
            let before = try await spotify.playbackState()?.item?.name
            #expect(before == "Night Ferry")
        }
    }

    @Test func `the player repeats, shuffles and continues on another device`() async throws {
        try await withClient { spotify, _ in
            try await spotify.setRepeat(.track)
            clock.advance(by: .seconds(215))
            var state = try #require(try await spotify.playbackState())
            #expect(state.repeatState == .track && state.shuffleState == false)
            #expect(state.item?.name == "Night Ferry" && state.progress == .seconds(1), "the track plays again")

            try await spotify.setShuffle(true)
            state = try #require(try await spotify.playbackState())
            #expect(state.shuffleState == true)
            let shuffled = try await spotify.queue().queue.map(\.name)
            #expect(
                shuffled == [
                    "Nachtfähre & Nebel", "Über den Dächern", "Lighthouse Keeping", "Last Train to the Harbour",
                ])
            try await spotify.setShuffle(false)
            let inOrder = try await spotify.queue().queue.map(\.name)
            #expect(inOrder == shuffled.reversed())

            let phone = try #require(try await spotify.devices().first { !$0.isActive }?.id)
            try await spotify.pause()
            try await spotify.transferPlayback(to: phone)
            state = try #require(try await spotify.playbackState())
            #expect(state.device?.id == phone && !state.isPlaying, "a paused track stays paused")
            try await spotify.transferPlayback(to: phone, play: true)
            state = try #require(try await spotify.playbackState())
            #expect(state.isPlaying)
            let absent = await #expect(throws: SpotifyError.self) { try await spotify.transferPlayback(to: "none") }
            #expect(absent?.status == 404)
            let senseless = await #expect(throws: SpotifyError.self) {
                try await spotify.setRepeat(.init(rawValue: "x"))
            }
            #expect(senseless?.status == 400)
        }
    }

    @Test func `the play history is read page by page, to the millisecond`() async throws {
        try await withClient { spotify, _ in
            let start = clock.now
            _ = try await spotify.playbackState()
            clock.advance(by: .milliseconds(214_357))
            let plays = try await spotify.recentlyPlayed(pageSize: 1).reduce(into: []) { $0.append($1) }
            #expect(
                plays.map(\.track.name) == [
                    "Night Ferry", "Über den Dächern", "Nachtfähre & Nebel", "Last Train to the Harbour",
                ])
            let newest = try #require(plays.first)
            #expect(newest.playedAt == start.addingTimeInterval(214) && newest.context == nil)
            #expect(plays.last?.context?.uri == "spotify:album:2bTidesAndTimetables01")

            let last = try #require(plays.last).playedAt
            let newer = try await spotify.recentlyPlayed(.after(last), pageSize: 2).pages.reduce(into: []) {
                $0.append($1.items.map(\.track.name))
            }
            #expect(newer == [["Über den Dächern", "Nachtfähre & Nebel"], ["Night Ferry"]])
            let nothing = try await spotify.recentlyPlayed(.before(last)).reduce(0) { count, _ in count + 1 }
            #expect(nothing == 0, "the track at the cursor is not included")
        }
    }

    @Test func `top items depend on the time range`() async throws {
        try await withClient { spotify, _ in
            let recent = try await spotify.topTracks(over: .shortTerm).prefix(1).reduce(into: []) { $0.append($1.name) }
            #expect(recent == ["Nachtfähre & Nebel"])
            let usual = try await spotify.topTracks().reduce(into: []) { $0.append($1.name) }
            #expect(usual.first == "Night Ferry" && usual.count == 5)
            let artists = try await spotify.topArtists(over: .longTerm).reduce(into: []) { $0.append($1.name) }
            #expect(artists == ["Sommerregen", "The Harbour Lights"])
            let senseless = await #expect(throws: SpotifyError.self) {
                for try await _ in spotify.topTracks(over: .init(rawValue: "ever")) {}
            }
            #expect(senseless?.status == 400)
        }
    }

    @Test func `the player's errors are typed`() async throws {
        try await withClient { spotify, server in
            let lost = await #expect(throws: SpotifyError.self) {
                try await spotify.play(.context("spotify:album:none"))
            }
            #expect(lost?.status == 404 || lost?.status == 400)
            await server.activate(device: nil)
            let away = await #expect(throws: SpotifyError.self) { try await spotify.pause() }
            #expect(away?.form == .player && away?.reason == .noActiveDevice)
            let nothing = try await spotify.playbackState()
            #expect(nothing == nil)
        }
    }

    @Test(arguments: [QuotaMode.development, .extended])
    func `playlists are created, filled and read`(quota: QuotaMode) async throws {
        try await withClient(quota) { spotify, _ in
            let new = try await spotify.createPlaylist("Für später", isPublic: false)
            #expect(new.name == "Für später" && new.isPublic == false && new.total == 0)
            let uris = ["spotify:track:1cNightFerry0000000001", "spotify:track:1cLighthouse0000000003"]
            let snapshot = try await spotify.add(uris, toPlaylist: new.id)
            #expect(snapshot != nil)
            try await spotify.add(["spotify:track:1cUeberDaecher00000004"], toPlaylist: new.id, at: 1)
            let names = try await spotify.items(ofPlaylist: new.id).reduce(into: []) { $0.append($1.item?.name) }
            #expect(names == ["Night Ferry", "Über den Dächern", "Lighthouse Keeping"])
            let total = try await spotify.playlist(new.id).total
            #expect(total == 3)
            let all = try await spotify.playlists(pageSize: 1).reduce(into: []) { $0.append($1.name) }
            #expect(all == ["Für später", "Morning", "Night drive", "For the rain"])
        }
    }

    @Test(arguments: [QuotaMode.development, .extended])
    func `items of a playlist are moved and removed`(quota: QuotaMode) async throws {
        let drive = "3dNightDrive000000002"
        try await withClient(quota) { spotify, _ in
            func names() async throws -> [String?] {
                try await spotify.items(ofPlaylist: drive).reduce(into: []) { $0.append($1.item?.name) }
            }
            let old = try #require(try await spotify.playlist(drive).snapshotID)
            let moved = try await spotify.moveItems(0..<2, ofPlaylist: drive, before: 4, snapshot: old)
            var now = try await names()
            #expect(
                now == [
                    "Lighthouse Keeping", "Über den Dächern", "Night Ferry", "Last Train to the Harbour",
                    "Nachtfähre & Nebel",
                ])
            let latest = try await spotify.playlist(drive).snapshotID
            #expect(moved == latest && moved != old)
            try await spotify.moveItems(4..<5, ofPlaylist: drive, before: 0)
            try await spotify.moveItems(1..<2, ofPlaylist: drive, before: 5)
            now = try await names()
            #expect(now.first == "Nachtfähre & Nebel" && now.last == "Lighthouse Keeping")

            let ferry = "spotify:track:1cNightFerry0000000001"
            try await spotify.add([ferry], toPlaylist: drive)
            try await spotify.remove([ferry, "spotify:track:unknown"], fromPlaylist: drive, snapshot: old)
            now = try await names()
            #expect(
                now == [
                    "Nachtfähre & Nebel", "Über den Dächern", "Last Train to the Harbour", "Lighthouse Keeping",
                ], "all occurrences")
            let outside = await #expect(throws: SpotifyError.self) {
                try await spotify.moveItems(3..<5, ofPlaylist: drive, before: 0)
            }
            #expect(outside?.status == 400 && outside?.message == "Invalid range")
        }
    }

    @Test(arguments: [QuotaMode.development, .extended])
    func `the library keeps saved items`(quota: QuotaMode) async throws {
        try await withClient(quota) { spotify, _ in
            let uris = ["spotify:track:1cNightFerry0000000001", "spotify:album:2bStillesWasser0000002"]
            try await spotify.save(uris)
            try await spotify.save(["spotify:track:1cLighthouse0000000003"])
            let tracks = try await spotify.savedTracks().reduce(into: []) { $0.append($1.track.name) }
            #expect(tracks.prefix(2) == ["Lighthouse Keeping", "Night Ferry"])
            let albums = try await spotify.savedAlbums().reduce(into: []) { $0.append($1.album.name) }
            #expect(albums.first == "Stilles Wasser")
            try await spotify.removeSaved(uris)
            let rest = try await spotify.savedTracks().reduce(into: []) { $0.append($1.track.name) }
            #expect(rest.first == "Lighthouse Keeping" && !rest.contains("Night Ferry"))
        }
    }

    @Test func `the catalogue is read, also page by page`() async throws {
        try await withClient { spotify, _ in
            let albumOfTrack = try await spotify.track("1cNightFerry0000000001").album?.name
            #expect(albumOfTrack == "Tides and Timetables")
            let artist = try await spotify.artist("4aSommerregen000000002").name
            #expect(artist == "Sommerregen")
            let album = try await spotify.album("2bTidesAndTimetables01")
            let id = try #require(album.id)
            let count = try await spotify.tracks(ofAlbum: id).reduce(0) { count, _ in count + 1 }
            #expect(count == 3)
            let albums = try await spotify.albums(ofArtist: "4aHarbourLights0000001").reduce(into: []) {
                $0.append($1.name)
            }
            #expect(albums == ["Tides and Timetables"])
            let error = await #expect(throws: SpotifyError.self) { try await spotify.track("none") }
            #expect(error?.status == 404 && error?.form == .regular)
            let found = try await spotify.searchTracks("e").reduce(0) { count, _ in count + 1 }
            #expect(found == 5)
        }
    }

    @Test(arguments: [QuotaMode.development, .extended])
    func `shows and their episodes are read, and saved`(quota: QuotaMode) async throws {
        try await withClient(quota) { spotify, _ in
            let show = try await spotify.show("6fPierTalk000000000001")
            #expect(show.name == "Pier Talk" && show.totalEpisodes == 3)
            #expect(show.publisher == (quota == .extended ? "The Harbour Office" : nil))
            #expect(show.episodes?.items.first?.name == "Reading the tides")
            let episodes = try await spotify.episodes(ofShow: show.id).reduce(into: []) { $0.append($1) }
            #expect(episodes.map(\.name) == ["Reading the tides", "Cranes & gulls", "The last ferries"])
            #expect(episodes.map(\.resumePoint?.position) == [.zero, .seconds(720), .seconds(2640)])
            #expect(episodes.map(\.resumePoint?.fullyPlayed) == [false, false, true])
            let episode = try await spotify.episode("7gCranes00000000000002")
            #expect(episode.show?.name == "Pier Talk" && episode.duration == .seconds(38 * 60))
            let error = await #expect(throws: SpotifyError.self) { try await spotify.episode("none") }
            #expect(error?.status == 404 && error?.form == .regular)
            var saved = try await spotify.savedShows().reduce(into: []) { $0.append($1.show.name) }
            #expect(saved == ["Nebelhorn"])
            guard quota == .development else { return }
            try await spotify.save([show.uri])
            saved = try await spotify.savedShows().reduce(into: []) { $0.append($1.show.name) }
            #expect(saved == ["Pier Talk", "Nebelhorn"])
        }
    }

    @Test func `the client waits after a 429`() async throws {
        try await withClient { spotify, server in
            await server.inject(.rateLimited(retryAfter: 7), on: .webAPI)
            let user = Task { try await spotify.currentUser() }
            await clock.sleeper(for: .seconds(7))
            clock.advance(by: .seconds(7))
            let id = try await user.value.id
            #expect(id == "local-listener")
        }
    }
}
