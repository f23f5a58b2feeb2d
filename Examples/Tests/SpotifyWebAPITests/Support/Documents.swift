// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Answers of the Web API, as Spotify documents them.
enum Documents {
    /// A user with Extended Quota.
    static let user = """
        {"country": "SE", "display_name": "Ünal K.", "email": "unal@example.com",
         "explicit_content": {"filter_enabled": false, "filter_locked": false},
         "external_urls": {"spotify": "https://open.spotify.com/user/unal"}, "followers": {"href": null, "total": 12},
         "href": "https://api.spotify.com/v1/users/unal", "id": "unal",
         "images": [{"url": "https://i.scdn.co/image/ab67616d", "height": 300, "width": 300}],
         "product": "premium", "type": "user", "uri": "spotify:user:unal"}
        """

    /// The same in Development Mode.
    static let plainUser = """
        {"display_name": "Ünal K.", "external_urls": {"spotify": "https://open.spotify.com/user/unal"},
         "href": "https://api.spotify.com/v1/users/unal", "id": "unal", "images": [], "type": "user",
         "uri": "spotify:user:unal"}
        """

    static let track = """
        {"album": \(album), "artists": [\(plainArtist)], "available_markets": ["SE", "DE"], "disc_number": 1,
         "duration_ms": 207959, "explicit": false, "external_ids": {"isrc": "USUM71703861"},
         "external_urls": {"spotify": "https://open.spotify.com/track/11dFghVXANMlKmJXsNCbNl"},
         "href": "https://api.spotify.com/v1/tracks/11dFghVXANMlKmJXsNCbNl", "id": "11dFghVXANMlKmJXsNCbNl",
         "is_local": false, "is_playable": true, "name": "Cut To The Feeling", "popularity": 63, "preview_url": null,
         "track_number": 1, "type": "track", "uri": "spotify:track:11dFghVXANMlKmJXsNCbNl"}
        """

    /// The same in Development Mode.
    static let plainTrack = """
        {"album": {"album_type": "single", "artists": [\(plainArtist)], "id": "0tGPJ0bkWOUmH7MEOR77qc", "images": [],
          "name": "Cut To The Feeling", "release_date": "2017", "release_date_precision": "year", "total_tracks": 1,
          "type": "album", "uri": "spotify:album:0tGPJ0bkWOUmH7MEOR77qc"},
         "artists": [\(plainArtist)], "disc_number": 1, "duration_ms": 207959, "explicit": false,
         "id": "11dFghVXANMlKmJXsNCbNl", "is_local": false, "name": "Cut To The Feeling", "track_number": 1,
         "type": "track", "uri": "spotify:track:11dFghVXANMlKmJXsNCbNl"}
        """

    static let episode = """
        {"description": "…", "duration_ms": 1686230, "explicit": false, "html_description": "…",
         "id": "5Xt5DXGzch68nYYamXrNxZ", "images": [], "is_externally_hosted": false, "is_playable": true,
         "languages": ["en"], "name": "Tips for sleep", "release_date": "2021-03-01",
         "release_date_precision": "day", "resume_point": {"fully_played": false, "resume_position_ms": 61000},
         "show": {"id": "38bS44xjbVVZ3No3ByF1dJ", "name": "Well & good", "uri": "spotify:show:38bS44xjbVVZ3No3ByF1dJ"},
         "type": "episode", "uri": "spotify:episode:5Xt5DXGzch68nYYamXrNxZ"}
        """

    /// A show with Extended Quota.
    static let show = """
        {"available_markets": ["SE"], "copyrights": [], "description": "Lists & sleep", "episodes": \(page([plainEpisode])),
         "explicit": false, "external_urls": {}, "html_description": "…", "id": "38bS44xjbVVZ3No3ByF1dJ",
         "images": [{"height": 640, "url": "https://i.scdn.co/image/ab6765", "width": 640}],
         "is_externally_hosted": false, "languages": ["en"], "media_type": "audio", "name": "Well & good",
         "publisher": "Radio", "total_episodes": 1, "type": "show", "uri": "spotify:show:38bS44xjbVVZ3No3ByF1dJ"}
        """

    /// An episode within its show, without the scope for the resume point.
    static let plainEpisode = """
        {"description": "…", "duration_ms": 1686230, "explicit": false, "id": "5Xt5DXGzch68nYYamXrNxZ", "images": [],
         "is_playable": true, "name": "Tips for sleep", "release_date": "2021-03-01", "type": "episode",
         "uri": "spotify:episode:5Xt5DXGzch68nYYamXrNxZ"}
        """

    /// A file of the user's own: it has no id.
    static let localFile = """
        {"album": {"album_type": null, "artists": [], "id": null, "images": [], "name": "Demos", "release_date": null,
          "type": "album", "uri": null},
         "artists": [{"id": null, "name": "We", "type": "artist", "uri": null}], "duration_ms": 61000, "explicit": false,
         "id": null, "is_local": true, "name": "Cellar", "popularity": 0, "track_number": 0, "type": "track",
         "uri": "spotify:local:We:Demos:Cellar:61"}
        """

    static let album = """
        {"album_type": "single", "artists": [\(plainArtist)], "available_markets": ["SE"],
         "external_urls": {"spotify": "https://open.spotify.com/album/0tGPJ0bkWOUmH7MEOR77qc"},
         "href": "https://api.spotify.com/v1/albums/0tGPJ0bkWOUmH7MEOR77qc", "id": "0tGPJ0bkWOUmH7MEOR77qc",
         "images": [{"height": 640, "url": "https://i.scdn.co/image/966ade", "width": 640}],
         "label": "Schoolboy", "name": "Cut To The Feeling", "popularity": 51, "release_date": "2017-05-26",
         "release_date_precision": "day", "total_tracks": 1, "type": "album",
         "uri": "spotify:album:0tGPJ0bkWOUmH7MEOR77qc"}
        """

    static let artist = """
        {"external_urls": {"spotify": "https://open.spotify.com/artist/6sFIWsNpZYqfjUpaCgueju"},
         "followers": {"href": null, "total": 8361410}, "genres": ["dance pop", "pop"],
         "href": "https://api.spotify.com/v1/artists/6sFIWsNpZYqfjUpaCgueju", "id": "6sFIWsNpZYqfjUpaCgueju",
         "images": [{"height": 320, "url": "https://i.scdn.co/image/cd4f2d", "width": null}],
         "name": "Carly Rae Jepsen", "popularity": 78, "type": "artist", "uri": "spotify:artist:6sFIWsNpZYqfjUpaCgueju"}
        """

    static let plainArtist = """
        {"external_urls": {"spotify": "https://open.spotify.com/artist/6sFIWsNpZYqfjUpaCgueju"},
         "id": "6sFIWsNpZYqfjUpaCgueju", "name": "Carly Rae Jepsen", "type": "artist",
         "uri": "spotify:artist:6sFIWsNpZYqfjUpaCgueju"}
        """

    static let device = """
        {"id": "74ASZWbe4lXaubB36ztrGX", "is_active": true, "is_private_session": false, "is_restricted": false,
         "name": "Kitchen speaker", "supports_volume": true, "type": "computer", "volume_percent": 59}
        """

    static func player(item: String, type: String = "track") -> String {
        """
        {"device": \(device), "repeat_state": "context", "shuffle_state": true,
         "context": {"type": "playlist", "href": "https://api.spotify.com/v1/playlists/37i9", "external_urls": {},
          "uri": "spotify:playlist:37i9dQZF1DX1lVhptIYRda"},
         "timestamp": 1490252122574, "progress_ms": 44272, "item": \(item), "currently_playing_type": "\(type)",
         "actions": {"disallows": {"resuming": true}}, "is_playing": true}
        """
    }

    static func played(_ track: String, at time: String) -> String {
        #"{"track": \#(track), "played_at": "\#(time)", "context": null}"#
    }

    /// - Parameter content: the members `items` or `tracks`.
    static func playlist(_ content: String) -> String {
        """
        {"collaborative": false, "description": "For &amp; against", "external_urls": {},
         "href": "https://api.spotify.com/v1/playlists/3cEY", "id": "3cEYpjA9oz9GiPac4AsH4n", "images": null,
         "name": "Spotify Web API Testing playlist",
         "owner": {"display_name": "JMPerez²", "external_urls": {}, "id": "jmperezperez", "type": "user",
          "uri": "spotify:user:jmperezperez"},
         "primary_color": null, "public": true, "snapshot_id": "AAAAEp", "type": "playlist",
         "uri": "spotify:playlist:3cEYpjA9oz9GiPac4AsH4n", \(content)}
        """
    }

    /// - Parameter key: `item` in Development Mode, `track` with Extended Quota.
    static func playlistItem(_ key: String, _ item: String) -> String {
        """
        {"added_at": "2015-01-15T12:39:22Z", "added_by": {"id": "jmperezperez", "type": "user"}, "is_local": false,
         "primary_color": null, "\(key)": \(item), "video_thumbnail": {"url": null}}
        """
    }

    static func page(_ items: [String], next: String? = nil, total: Int? = nil) -> String {
        """
        {"href": "https://api.spotify.com/v1/me/things?offset=0&limit=20", "items": [\(items.joined(separator: ", "))],
         "limit": 20, "next": \(next.map { "\"\($0)\"" } ?? "null"), "offset": 0, "previous": null,
         "total": \(total ?? items.count)}
        """
    }
}
