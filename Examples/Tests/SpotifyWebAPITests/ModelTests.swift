// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import SpotifyWebAPI

@Suite struct `The models of the Web API` {
    private func decode<Value: Decodable>(_ document: String, as type: Value.Type = Value.self) throws -> Value {
        try SpotifyClient.decode(type, from: Data(document.utf8))
    }

    @Test func `a user has all members with Extended Quota`() throws {
        let user: User = try decode(Documents.user)
        #expect([user.id, user.uri, user.displayName] == ["unal", "spotify:user:unal", "Ünal K."])
        #expect([user.email, user.country, user.product] == ["unal@example.com", "SE", "premium"])
        #expect(user.followers?.total == 12)
        #expect(user.images?.map(\.height) == [300])
    }

    @Test func `a user has only the names in Development Mode`() throws {
        let user: User = try decode(Documents.plainUser)
        #expect([user.id, user.displayName] == ["unal", "Ünal K."])
        #expect([user.email, user.country, user.product] == [nil, nil, nil])
        #expect(user.followers == nil)
    }

    @Test(arguments: [(Documents.track, 63), (Documents.plainTrack, nil)] as [(String, Int?)])
    func `a track is read in both variants`(document: String, popularity: Int?) throws {
        let track: Track = try decode(document)
        #expect(track.name == "Cut To The Feeling")
        #expect(track.uri == "spotify:track:11dFghVXANMlKmJXsNCbNl")
        #expect(track.duration == .milliseconds(207_959))
        #expect(track.artists?.map(\.name) == ["Carly Rae Jepsen"])
        #expect(track.album?.name == "Cut To The Feeling")
        #expect(track.popularity == popularity)
    }

    @Test func `a file of the user's own has no id`() throws {
        let track: Track = try decode(Documents.localFile)
        #expect(track.id == nil && track.album?.id == nil && track.artists?.first?.id == nil)
        #expect(track.isLocal == true)
        #expect(track.uri == "spotify:local:We:Demos:Cellar:61")
    }

    @Test func `an album and an artist are read in both variants`() throws {
        let album: Album = try decode(Documents.album)
        #expect(album.label == "Schoolboy" && album.popularity == 51 && album.releaseDate == "2017-05-26")
        let artist: Artist = try decode(Documents.artist)
        #expect(artist.genres == ["dance pop", "pop"] && artist.followers?.total == 8_361_410)
        #expect(artist.images?.first?.width == nil)
        let plain: Artist = try decode(Documents.plainArtist)
        #expect(plain.name == artist.name && plain.followers == nil && plain.popularity == nil)
    }

    @Test func `the player state has the item, the device, the position and the modes`() throws {
        let state: PlaybackState = try decode(Documents.player(item: Documents.track))
        #expect(state.isPlaying && state.shuffleState == true && state.repeatState == .context)
        #expect(state.device?.name == "Kitchen speaker" && state.device?.volumePercent == 59)
        #expect(state.progress == .milliseconds(44272))
        #expect(state.context?.uri == "spotify:playlist:37i9dQZF1DX1lVhptIYRda")
        #expect(state.item?.name == "Cut To The Feeling" && state.item?.makers == ["Carly Rae Jepsen"])
    }

    @Test func `the player state may have an episode or an advertisement`() throws {
        let episode: PlaybackState = try decode(Documents.player(item: Documents.episode, type: "episode"))
        guard case .episode(let item) = episode.item else { throw UnreadableAnswer(member: "item") }
        #expect(item.show?.name == "Well & good" && episode.item?.makers == ["Well & good"])
        let advertisement: PlaybackState = try decode(Documents.player(item: "null", type: "ad"))
        #expect(advertisement.item == nil && advertisement.currentlyPlayingType == "ad")
    }

    @Test func `a show has episodes, which have a resume point if the scope allows it`() throws {
        let show: Show = try decode(Documents.show)
        #expect(show.name == "Well & good" && show.totalEpisodes == 1 && show.publisher == "Radio")
        let within = try #require(show.episodes?.items.first)
        #expect(within.name == "Tips for sleep" && within.show == nil && within.resumePoint == nil)
        let episode: Episode = try decode(Documents.episode)
        #expect(episode.resumePoint?.position == .seconds(61) && episode.resumePoint?.fullyPlayed == false)
        #expect(episode.releaseDate == "2021-03-01" && episode.show?.episodes == nil)
    }

    @Test(arguments: [("27.757Z", 1_619_441_907_757), ("27Z", 1_619_441_907_000)])
    func `a played track has its time in milliseconds`(seconds: String, milliseconds: Double) throws {
        let played: PlayedTrack = try decode(Documents.played(Documents.track, at: "2021-04-26T12:58:\(seconds)"))
        #expect((played.playedAt.timeIntervalSince1970 * 1000).rounded() == milliseconds)
        #expect(played.track.name == "Cut To The Feeling" && played.context == nil)
        #expect(throws: UnreadableAnswer(member: "playedAt")) {
            try decode(Documents.played(Documents.track, at: "yesterday"), as: PlayedTrack.self)
        }
    }

    @Test(arguments: [("items", "item"), ("tracks", "track")])
    func `a playlist with its items is read in both variants`(content: String, key: String) throws {
        let items = [Documents.playlistItem(key, Documents.track), Documents.playlistItem(key, "null")]
        let playlist: Playlist = try decode(Documents.playlist("\"\(content)\": \(Documents.page(items, total: 5))"))
        #expect(playlist.owner.displayName == "JMPerez²")
        #expect(playlist.isPublic == true && playlist.snapshotID == "AAAAEp" && playlist.images == nil)
        #expect(playlist.total == 5)
        #expect(playlist.items?.items.map(\.item?.name) == ["Cut To The Feeling", nil])
        #expect(playlist.items?.items.first?.addedAt == Date(timeIntervalSince1970: 1_421_325_562))
    }

    @Test(arguments: [
        #""items": {"href": "https://api.spotify.com/v1/playlists/3cEY/items", "total": 7}, "tracks": null"#,
        #""tracks": {"href": "https://api.spotify.com/v1/playlists/3cEY/tracks", "total": 7}"#,
    ])
    func `a playlist in a list has its number of items, in both variants`(content: String) throws {
        let playlist: Playlist = try decode(Documents.playlist(content))
        #expect(playlist.total == 7 && playlist.items == nil)
    }

    @Test func `a playlist of another user has no items in Development Mode`() throws {
        let playlist: Playlist = try decode(Documents.playlist(#""external": 1"#))
        #expect(playlist.total == nil && playlist.items == nil)
    }

    @Test func `a page omits items that Spotify could not provide`() throws {
        let page: Page<Track> = try decode(Documents.page(["null", Documents.plainTrack, "null"]))
        #expect(page.items.map(\.name) == ["Cut To The Feeling"])
        #expect(page.total == 3 && page.next == nil)
    }

    @Test(arguments: [
        (#"{"items": [{"name": "x"}], "total": 1}"#, "items.0.uri"), (#"{"items": 5, "total": 1}"#, "items"),
        ("<html>", ""), ("", ""), (#"{"items": []"#, ""),
    ])
    func `the error for a malformed answer names the member`(document: String, member: String) {
        #expect(throws: UnreadableAnswer(member: member)) { try decode(document, as: Page<Track>.self) }
    }
}
