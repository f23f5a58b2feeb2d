// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The music and the user of the stand-in. All of it is invented.
struct Catalogue: Sendable {
    static let userID = "local-listener"
    /// The date of everything that exists from the start.
    static let past = Date(timeIntervalSince1970: 1_767_225_600)

    let user = Catalogue.userID
    let artists: [Artist]
    let albums: [Album]
    let tracks: [Track]
    let shows: [Show]
    let episodes: [Episode]
    let playlists: [StoredPlaylist]
    /// What the user has played.
    var history = PlayHistory()

    /// - Parameter mode: determines whether answers contain popularity and followers.
    init(mode: LocalSpotify.Mode) {
        let popularity = mode == .extendedQuota ? 23 : nil
        let harbour = Artist("4aHarbourLights0000001", "The Harbour Lights", popularity)
        let sommer = Artist("4aSommerregen000000002", "Sommerregen", popularity)
        let tides = Album("2bTidesAndTimetables01", "Tides and Timetables", by: harbour, "2024-03-01", 3, popularity)
        let stillwasser = Album("2bStillesWasser0000002", "Stilles Wasser", by: sommer, "2025-10-17", 2, popularity)
        artists = [harbour, sommer]
        albums = [tides, stillwasser]
        let tracks = [
            Track("1cNightFerry0000000001", "Night Ferry", on: tides, 1, milliseconds: 214_000, popularity),
            Track(
                "1cLastTrain00000000002", "Last Train to the Harbour", on: tides, 2, milliseconds: 187_000, popularity),
            Track("1cLighthouse0000000003", "Lighthouse Keeping", on: tides, 3, milliseconds: 243_000, popularity),
            Track("1cUeberDaecher00000004", "Über den Dächern", on: stillwasser, 1, milliseconds: 201_000, popularity),
            Track(
                "1cNachtfaehre000000005", "Nachtfähre & Nebel", on: stillwasser, 2, milliseconds: 259_000, popularity),
        ]
        self.tracks = tracks
        let publisher = mode == .extendedQuota ? "The Harbour Office" : nil
        let pier = Show("6fPierTalk000000000001", "Pier Talk", "What goes on at the water", 3, publisher)
        let nebel = Show("6fNebelhorn00000000002", "Nebelhorn", "Geschichten vom Deich", 1, publisher)
        shows = [pier, nebel]
        func episode(_ id: String, _ name: String, of show: Show, _ released: String, _ minutes: Int, at: Int)
            -> Episode
        {
            Episode(id, name, of: show, released, milliseconds: minutes * 60_000, resumeAt: at * 60_000)
        }
        episodes = [
            episode("7gTides000000000000003", "Reading the tides", of: pier, "2025-12-05", 41, at: 0),
            episode("7gCranes00000000000002", "Cranes & gulls", of: pier, "2025-11-07", 38, at: 12),
            episode("7gFerries0000000000001", "The last ferries", of: pier, "2025-10-03", 44, at: 44),
            episode("7gDeich000000000000004", "Über den Deich", of: nebel, "2025-09-21", 27, at: 0),
        ]
        func playlist(_ id: String, _ name: String, _ places: [Int]) -> StoredPlaylist {
            StoredPlaylist(id: id, name: name, items: places.map { .init(track: tracks[$0], addedAt: Self.past) })
        }
        playlists = [
            playlist("3dMorning000000000001", "Morning", [3, 1, 2]),
            playlist("3dNightDrive000000002", "Night drive", [0, 1, 2, 3, 4]),
            playlist("3dRain000000000000003", "For the rain", [4, 2]),
        ]
        for (position, track) in [tracks[1], tracks[4], tracks[3]].enumerated() {
            let endedAt = Self.past.milliseconds + position * 259_042 + 589
            history.add(track, from: track.album?.uri, position: track.durationMs, endedAt: endedAt)
        }
    }

    func track(uri: String) -> Track? { tracks.first { $0.uri == uri } }
}
