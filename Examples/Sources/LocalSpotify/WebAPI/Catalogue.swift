// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The music and the user of the stand-in; all invented.
struct Catalogue: Sendable {
    static let userID = "local-listener"
    let profile = Profile(userID, "Local Listener")
    let artists: [Artist]
    let albums: [Album]
    let tracks: [Track]
    let playlists: [Playlist]

    init() {
        let harbour = Artist("4aHarbourLights0000001", "The Harbour Lights")
        let sommer = Artist("4aSommerregen000000002", "Sommerregen")
        let tides = Album("2bTidesAndTimetables01", "Tides and Timetables", by: harbour)
        let stillwasser = Album("2bStillesWasser0000002", "Stilles Wasser", by: sommer)
        artists = [harbour, sommer]
        albums = [tides, stillwasser]
        tracks = [
            Track("1cNightFerry0000000001", "Night Ferry", on: tides, milliseconds: 214_000),
            Track("1cLastTrain00000000002", "Last Train to the Harbour", on: tides, milliseconds: 187_000),
            Track("1cLighthouse0000000003", "Lighthouse Keeping", on: tides, milliseconds: 243_000),
            Track("1cUeberDaecher00000004", "Über den Dächern", on: stillwasser, milliseconds: 201_000),
            Track("1cNachtfaehre000000005", "Nachtfähre & Nebel", on: stillwasser, milliseconds: 259_000),
        ]
        playlists = [
            Playlist("3dMorning000000000001", "Morning", owner: profile.id, total: 3),
            Playlist("3dNightDrive000000002", "Night drive", owner: profile.id, total: 5),
            Playlist("3dRain000000000000003", "For the rain", owner: profile.id, total: 2),
        ]
    }
}
